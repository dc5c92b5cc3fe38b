"""Attached files: lets an agent read and search the text of what a person attached."""

from agenticos_app.contracts.capability import CapabilityDef, Category, ToolInfo
from capabilities.attachments import text
from capabilities.attachments.config import AttachmentsConfig
from capabilities.attachments.tools import build

CAPABILITY = CapabilityDef(
    id="attachments",
    category=Category.UTILITY,
    icon="paperclip",
    config=AttachmentsConfig,
    tools=(
        ToolInfo(id="read_attachment", text=text.READ_ATTACHMENT, subject="name"),
        ToolInfo(id="search_attachment", text=text.SEARCH_ATTACHMENT, subject="query"),
    ),
    build=build,
)
