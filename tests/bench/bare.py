"""The yardstick: a minimal FastAPI app with a plain Pydantic AI agent, and nothing else."""

import json
import os
from collections.abc import AsyncIterator

from fastapi import FastAPI
from fastapi.responses import StreamingResponse
from pydantic import BaseModel
from pydantic_ai import Agent, PartDeltaEvent, PartStartEvent, TextPart, TextPartDelta
from pydantic_ai.models.openai import OpenAIChatModel
from pydantic_ai.providers.openai import OpenAIProvider

BASE_URL = "BARE_BASE_URL"
MODEL_NAME = "BARE_MODEL_NAME"


class Question(BaseModel):
    prompt: str


def build() -> FastAPI:
    provider = OpenAIProvider(base_url=os.environ[BASE_URL], api_key="none")  # noqa: TID251
    agent = Agent(
        OpenAIChatModel(os.environ[MODEL_NAME], provider=provider),  # noqa: TID251
        instructions="You are a helpful assistant.",
    )
    app = FastAPI()

    @app.get("/health")
    async def health() -> dict[str, bool]:
        return {"ok": True}

    @app.post("/run")
    async def run(question: Question) -> dict[str, str]:
        return {"output": (await agent.run(question.prompt)).output}

    async def pieces(prompt: str) -> AsyncIterator[str]:
        async with agent.run_stream_events(prompt) as events:
            async for event in events:
                if isinstance(event, PartStartEvent) and isinstance(event.part, TextPart):
                    text = event.part.content
                elif isinstance(event, PartDeltaEvent) and isinstance(event.delta, TextPartDelta):
                    text = event.delta.content_delta
                else:
                    continue
                yield f"data: {json.dumps({'text': text})}\n\n"

    @app.post("/stream")
    async def stream(question: Question) -> StreamingResponse:
        return StreamingResponse(pieces(question.prompt), media_type="text/event-stream")

    return app
