"""The run host: executes runs apart from any page, holds their leases, stops and drains."""

import asyncio
from contextlib import suppress
from dataclasses import dataclass
from enum import Enum, auto

import structlog

from agenticos_app.bus import bus
from agenticos_app.contracts.capability import CodeSandbox, RunDeps
from agenticos_app.contracts.events import RunStatus
from agenticos_app.contracts.models import OpenStream
from agenticos_app.contracts.prices import Prices
from agenticos_app.contracts.recording import Outcome, TakenOver
from agenticos_app.contracts.spec import AgentSpec
from agenticos_app.errors import ExternalFailure, Overloaded
from agenticos_app.kernel.ids import HostId, RunId, new_id
from agenticos_app.runner.assemble import Assembler
from agenticos_app.runner.execute import Job, execute
from agenticos_app.runner.recorder import Recorder
from agenticos_app.runner.requests import Requests
from agenticos_app.services import ledger as ledgers
from agenticos_app.services import recording
from agenticos_app.services.equipment import NotAssembled
from agenticos_app.services.ledger import RunLedger
from agenticos_app.services.recording import (
    DatabaseTranscript,
    Prepared,
    Ready,
    RunEvents,
    RunRef,
)

log = structlog.get_logger()

HEARTBEAT_S = 5
DRAIN_S = 30
FINISH_AGAIN_S = (0.2, 1.0, 3.0)
"""Pauses before an end that could not be written is written again; later the sweep does it."""

CLAIM_S = 5
"""How often a host with room looks for waiting runs without being told."""


class _Ending(Enum):
    """Why a run was cancelled."""

    STOPPED = auto()
    DRAINED = auto()
    LOST = auto()


@dataclass(slots=True)
class _Active:
    task: asyncio.Task[None]
    begun: bool = False
    ending: _Ending | None = None


class RunHost:
    """Executes the runs of this process, at most `slots` at once."""

    def __init__(
        self,
        assembler: Assembler,
        open_stream: OpenStream,
        prices: Prices,
        sandbox: CodeSandbox,
        *,
        slots: int,
    ) -> None:
        self.id = HostId(new_id())
        self._assembler = assembler
        self._open_stream = open_stream
        self._prices = prices
        self._sandbox = sandbox
        self._slots = slots
        self._active: dict[RunId, _Active] = {}
        self._reserved: set[RunId] = set()
        self._loops: list[asyncio.Task[None]] = []
        self._handing_over: list[asyncio.Task[None]] = []
        self._draining = False
        self._drained = asyncio.Event()
        self._wake = asyncio.Event()
        self._others_wait = True

    def reserve(self, run_id: RunId) -> bool:
        """Keep a slot for a run that shall begin here; False when there is none."""
        if not self.has_room():
            return False
        self._reserved.add(run_id)
        return True

    def has_room(self) -> bool:
        """Tell whether a run could begin here at once."""
        return not self._draining and self._room() > 0

    def release(self, run_id: RunId) -> None:
        """Give the slot back of a run that does not begin after all."""
        self._reserved.discard(run_id)

    def begin(self, run_id: RunId, ready: Ready | None = None) -> None:
        """Begin a run whose row names this host, with what is known of it already. Returns at once."""
        self._reserved.discard(run_id)
        if self._draining:
            self._handing_over.append(asyncio.create_task(recording.hand_over(run_id, self.id)))
        elif run_id not in self._active:
            task = asyncio.create_task(self._execute(run_id, ready), name=f"run {run_id}")
            self._active[run_id] = _Active(task)

    def _room(self) -> int:
        return self._slots - len(self._active) - len(self._reserved)

    async def start(self, *, is_only_process: bool) -> None:
        """Begin to hold leases, to take waiting runs and to sweep. Runs of an earlier life are ended."""
        await recording.end_lost(self.id, abandoned=is_only_process)
        self._loops = [
            asyncio.create_task(self._beat()),
            asyncio.create_task(self._listen()),
            asyncio.create_task(self._claim()),
        ]
        self._wake.set()

    async def drain(self, *, within_s: float = DRAIN_S) -> None:
        """Take no new run, hand over those not begun, let the others end, interrupt the rest; once."""
        if self._draining:
            await self._drained.wait()
            return
        self._draining = True
        try:
            await self._hand_over_unbegun()
            await self._let_end(within_s)
        finally:
            for loop in self._loops:
                loop.cancel()
            await asyncio.gather(*self._loops, *self._handing_over, return_exceptions=True)
            self._drained.set()

    async def _hand_over_unbegun(self) -> None:
        for run_id, active in list(self._active.items()):
            if not active.begun:
                active.ending = _Ending.DRAINED
                active.task.cancel()
                try:
                    await recording.hand_over(run_id, self.id)
                except Exception:  # its lease ends, and a sweep takes it
                    log.exception("run.not_handed_over", run_id=str(run_id))

    async def _let_end(self, within_s: float) -> None:
        tasks = [active.task for active in self._active.values()]
        if not tasks:
            return
        log.info("host.draining", runs=len(tasks))
        _, late = await asyncio.wait(tasks, timeout=within_s)
        for active in list(self._active.values()):
            if active.task in late:
                active.ending = _Ending.DRAINED
                active.task.cancel()
        if late:
            await asyncio.wait(late, timeout=5)

    def _stop(self, run_id: RunId, why: _Ending) -> None:
        active = self._active.get(run_id)
        if active is not None and active.ending is None:
            active.ending = why
            active.task.cancel()

    async def _execute(self, run_id: RunId, ready: Ready | None) -> None:
        try:
            found = ready or await recording.prepare(run_id, self.id)
            if found is None:
                return
            self._active[run_id].begun = True
            await self._record(*found)
        except asyncio.CancelledError:
            if self._active[run_id].ending is _Ending.STOPPED:
                await recording.stop_unbegun(run_id, self.id)
            elif not self._draining:
                raise
        except Exception:
            log.exception("run.broken", run_id=str(run_id))
            await self._give_up(run_id)
        finally:
            self._active.pop(run_id, None)
            if self._others_wait:
                self._wake.set()

    async def _give_up(self, run_id: RunId) -> None:
        try:
            await recording.give_up(run_id, self.id)
        except Exception:  # the lease ends, and a sweep takes the run
            log.exception("run.not_given_up", run_id=str(run_id))

    async def _record(self, ref: RunRef, prepared: "Prepared | NotAssembled") -> None:
        """Execute and write the end, whatever it is."""
        ledger = _ledger(ref, prepared)
        recorder = Recorder(RunEvents(ref.run_id), DatabaseTranscript(ref, self.id, ledger))
        try:
            outcome = await self._outcome(prepared, recorder, ledger)
        except asyncio.CancelledError:
            outcome = self._cancelled(ref.run_id)
        except TakenOver:
            log.warning("run.taken_over", run_id=str(ref.run_id))
            return
        await asyncio.shield(self._close(ref, recorder, ledger, outcome))

    async def _outcome(
        self, prepared: "Prepared | NotAssembled", recorder: Recorder, ledger: RunLedger
    ) -> Outcome:
        if isinstance(prepared, NotAssembled):
            return Outcome(status=RunStatus.FAILED, error_code=prepared.code, error=prepared.sentence)
        job = Job(
            version_id=prepared.version_id,
            spec=prepared.spec,
            prompt=prepared.prompt,
            history=prepared.history,
            deps=RunDeps(
                organization_id=prepared.organization_id,
                run_id=prepared.run_id,
                conversation_id=prepared.conversation_id,
                started_at=prepared.started_at,
                files=prepared.files,
                file_texts=prepared.texts,
                sandbox=self._sandbox,
                credentials=prepared.credentials,
                variables=prepared.variables,
            ),
        )
        requests = Requests(prepared.candidates, self._open_stream, self._prices, ledger, recorder)
        return await execute(job, self._assembler, requests, recorder)

    def _cancelled(self, run_id: RunId) -> Outcome:
        active = self._active.get(run_id)
        if active is not None and active.ending is _Ending.STOPPED:
            return Outcome(status=RunStatus.CANCELLED)
        return Outcome(
            status=RunStatus.FAILED, error_code="interrupted", error="The server that ran this stopped."
        )

    async def _close(self, ref: RunRef, recorder: Recorder, ledger: RunLedger, outcome: Outcome) -> None:
        await recorder.close()
        for pause_s in (*FINISH_AGAIN_S, None):
            try:
                await recording.finish(ref, self.id, recorder.recorded, outcome, ledger)
                break
            except (ExternalFailure, Overloaded):
                if pause_s is None:
                    raise
                await asyncio.sleep(pause_s)
        log.info(
            "run.ended",
            run_id=str(ref.run_id),
            status=outcome.status.value,
            error=outcome.error_code,
            tokens=recorder.recorded.usage.output_tokens,
        )

    async def _beat(self) -> None:
        """Renew the leases, notice missed stops and lost runs, sweep for other hosts' losses."""
        while True:
            await asyncio.sleep(HEARTBEAT_S)
            try:
                if known := [*self._active]:
                    held = await recording.renew(self.id, known)
                    await ledgers.keep_up(known)
                    for run_id in known:
                        if run_id not in held:
                            self._stop(run_id, _Ending.LOST)
                        elif held.get(run_id):
                            self._stop(run_id, _Ending.STOPPED)
                await recording.end_lost(self.id)
                await ledgers.book_expired()
            except Exception:
                log.exception("host.heartbeat_failed")

    async def _listen(self) -> None:
        async with bus.current().signals.listen("hosts") as mailbox:
            while True:
                signal = await mailbox.next(60)
                if signal is None:
                    continue
                if signal.kind == "run.stop" and signal.run_id is not None:
                    self._stop(RunId(signal.run_id), _Ending.STOPPED)
                elif signal.kind == "run.waiting":
                    self._others_wait = True
                    self._wake.set()

    async def _claim(self) -> None:
        """Take waiting runs whenever there is room."""
        while True:
            with suppress(TimeoutError):
                async with asyncio.timeout(CLAIM_S):
                    await self._wake.wait()
            self._wake.clear()
            room = self._room()
            if self._draining or room <= 0:
                continue
            try:
                claimed = await recording.claim_waiting(self.id, limit=room)
                self._others_wait = len(claimed) == room
                for run_id in claimed:
                    self.begin(run_id)
            except Exception:
                log.exception("host.claim_failed")


def _ledger(ref: RunRef, prepared: Prepared | NotAssembled) -> RunLedger:
    spec = prepared.spec if isinstance(prepared, Prepared) else AgentSpec()
    return RunLedger(
        ref.actor,
        ref.run_id,
        ref.agent_id,
        agent_cap=spec.monthly_budget_micros,
        run_cap=spec.run_budget_micros,
    )
