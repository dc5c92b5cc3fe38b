"""What agents of this deployment can be given."""

from typing import Annotated

from fastapi import APIRouter, Header, Response

from agenticos_app.api.deps import Acting
from agenticos_app.catalogue import preferred
from agenticos_app.schemas.capabilities import CapabilityRow
from agenticos_app.services import registry

router = APIRouter(tags=["Agents"])


@router.get("/agents/capabilities")
async def list_capabilities(
    _actor: Acting,
    response: Response,
    accept_language: Annotated[str, Header(description="Language of the texts: `en` or `pl`")] = "",
) -> list[CapabilityRow]:
    """List every capability of this deployment, with all that a form to set it up needs."""
    language = preferred(accept_language)
    response.headers.update({"content-language": language, "vary": "accept-language"})
    return registry.catalogue(language)
