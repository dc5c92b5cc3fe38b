"""Tables, one file per aggregate. Importing this package fills the metadata."""

from agenticos_app.models.account import Membership, Organization, Session, SetupLink, User
from agenticos_app.models.agent import Agent, AgentEnvironment, AgentVersion, CapabilityRequest, Grant
from agenticos_app.models.api_key import ApiKey, IdempotentCall
from agenticos_app.models.audit import AuditEntry
from agenticos_app.models.conversation import Conversation, File, FileText, Message, ToolCall
from agenticos_app.models.model_profile import ModelFallback, ModelProfile
from agenticos_app.models.money import Reservation, Spending
from agenticos_app.models.run import Run, RunRequest
from agenticos_app.models.secret import Secret

__all__ = [
    "Agent",
    "AgentEnvironment",
    "AgentVersion",
    "ApiKey",
    "AuditEntry",
    "CapabilityRequest",
    "Conversation",
    "File",
    "FileText",
    "Grant",
    "IdempotentCall",
    "Membership",
    "Message",
    "ModelFallback",
    "ModelProfile",
    "Organization",
    "Reservation",
    "Run",
    "RunRequest",
    "Secret",
    "Session",
    "SetupLink",
    "Spending",
    "ToolCall",
    "User",
]
