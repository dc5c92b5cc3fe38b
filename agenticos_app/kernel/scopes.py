"""Classes of abilities."""

from enum import StrEnum


class Scope(StrEnum):
    """A class of abilities that a deployment grants or withdraws as a whole."""

    KNOWLEDGE_READ = "knowledge:read"
    CONVERSATIONS_READ = "conversations:read"
    WEB_READ = "web:read"
    WEB_FETCH = "web:fetch"
    WEB_BROWSE = "web:browse"
    CODE_EXECUTE = "code:execute"
    SANDBOX_EXECUTE = "sandbox:execute"
    AGENTS_DELEGATE = "agents:delegate"
