"""Tables, one file per aggregate. Importing this package fills the metadata."""

from agenticos_app.models.account import Membership, Organization, Session, SetupLink, User
from agenticos_app.models.agent import Agent, AgentVersion, Grant
from agenticos_app.models.api_key import ApiKey, IdempotentCall
from agenticos_app.models.conversation import Conversation, File, FileText, Message, ToolCall
from agenticos_app.models.model_profile import ModelProfile, Secret
from agenticos_app.models.run import Run, RunRequest

__all__ = [
    "Agent",
    "AgentVersion",
    "ApiKey",
    "Conversation",
    "File",
    "FileText",
    "Grant",
    "IdempotentCall",
    "Membership",
    "Message",
    "ModelProfile",
    "Organization",
    "Run",
    "RunRequest",
    "Secret",
    "Session",
    "SetupLink",
    "ToolCall",
    "User",
]
