"""What the builder may set."""

from pydantic import BaseModel, ConfigDict


class AttachmentsConfig(BaseModel):
    """Nothing can be set: what is attached is what can be read."""

    model_config = ConfigDict(extra="forbid", frozen=True)
