"""How the server is."""

from pydantic import BaseModel


class Health(BaseModel):
    """It answers."""

    ok: bool = True
