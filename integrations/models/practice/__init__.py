"""The practice model: built in, offline, deterministic, free, and no AI.

It answers by calling the agent's own tools from plain rules and quoting what they return, so that a newcomer
and the tests can walk every path without a key.
"""

from pydantic_ai.models import Model

from agenticos_app.contracts.models import ListedModel, ModelAccess, ModelCheck, ModelList
from integrations.models.practice.model import LABEL, MODEL_NAME, PracticeModel

__all__ = ["LABEL", "MODEL_NAME", "Practice", "PracticeModel"]


class Practice:
    """The family that has one member."""

    def __init__(self, *, pace_s: float = 0) -> None:
        """Take the pause after each streamed word; people read along at about 0.025."""
        self._model = PracticeModel(pace_s=pace_s)

    def open(self, access: ModelAccess) -> Model:
        """Return the model, the same for everyone: it remembers nothing."""
        return self._model

    async def load(self, access: ModelAccess) -> None:
        """Nothing is imported late."""

    async def check(self, access: ModelAccess) -> ModelCheck:
        """Report that it is there, as it always is."""
        return ModelCheck(ok=True, milliseconds=0, reply=LABEL, models=(MODEL_NAME,))

    async def models(self, access: ModelAccess) -> ModelList:
        """Return the one there is."""
        return ModelList(models=(ListedModel(id=MODEL_NAME),), is_live=True)

    async def close(self) -> None:
        """Nothing is open."""
