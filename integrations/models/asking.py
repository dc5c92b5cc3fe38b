"""What a profile's parameters become in a request."""

from pydantic_ai.settings import ModelSettings

from agenticos_app.contracts.models import ModelAccess


def settings_of(access: ModelAccess) -> ModelSettings:
    """Return the settings of every request to this model; what the profile leaves open is not in them."""
    params = access.params
    settings = ModelSettings()
    if params.temperature is not None:
        settings["temperature"] = params.temperature
    if params.top_p is not None:
        settings["top_p"] = params.top_p
    if params.max_tokens is not None:
        settings["max_tokens"] = params.max_tokens
    if params.parallel_tool_calls is not None:
        settings["parallel_tool_calls"] = params.parallel_tool_calls
    if params.timeout_s is not None:
        settings["request_timeout"] = params.timeout_s
    return settings
