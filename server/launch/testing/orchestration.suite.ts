import { randomUUID } from 'node:crypto'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import type { Orchestration, RunToStart } from '#server/ports/orchestration.ts'

/** An engine with what the suite needs around it: the gateway that records requests, an executor, clocks and accidents. */
export type EngineUnderTest = {
  orchestration: Orchestration
  /** Active agents; no more than `limit` runs of all of them run at a time. */
  agents: readonly [string, string, string]
  limit: 2
  /** A run that the gateway has recorded and nobody has handed over yet. */
  request(slug: string): Promise<RunToStart>
  /** From now on step 02 of every run stays in its work until this is called. */
  hold(): () => void
  /** How often step 02 of the run was begun. */
  executed(run: RunToStart): number
  /** How often each step of the run was checkpointed, by its number. */
  checkpoints(run: RunToStart): Promise<Record<number, number>>
  /** Lets the engine work until the check holds. */
  workUntil(check: () => Promise<boolean> | boolean): Promise<void>
  /** Who works on the run is gone for the engine; somebody else may take over. */
  crash(run: RunToStart): Promise<void>
  /** Sets the clock, and lets the engine look at its schedules. */
  clock(at: Date): Promise<void>
  /** How many runs the schedule of the agent has asked for. */
  scheduled(slug: string): Promise<number>
  /** Starts or stops those who work. */
  staff(present: boolean): Promise<void>
  close(): Promise<void>
}

type Engine = () => EngineUnderTest

/** What every adapter of the orchestration must do ([runs#orchestration]). */
export function orchestrationConformance(name: string, make: () => Promise<EngineUnderTest>): void {
  describe(`orchestration: ${name}`, () => {
    let engine: EngineUnderTest
    beforeAll(async () => {
      engine = await make()
    })
    afterAll(() => engine?.close())
    taking(() => engine)
    concurrency(() => engine)
    durability(() => engine)
    cancelling(() => engine)
    schedules(() => engine)

    it('says who it is and whether somebody takes up runs', async () => {
      const { vendor } = await engine.orchestration.healthCheck()
      expect(vendor).toMatch(/^[a-z]+$/)
      await engine.staff(false)
      expect(await engine.orchestration.healthCheck()).toEqual({ healthy: false, vendor })
      await engine.staff(true)
      expect(await engine.orchestration.healthCheck()).toEqual({ healthy: true, vendor })
    })
  })
}

const statusOf = async ({ orchestration }: EngineUnderTest, { run_id }: RunToStart) =>
  (await orchestration.getRunStatus(run_id))?.status
const finished = async (engine: EngineUnderTest, ...runs: RunToStart[]) =>
  engine.workUntil(async () => {
    for (const run of runs) if ((await statusOf(engine, run)) !== 'completed') return false
    return true
  })
const taken = async (engine: EngineUnderTest, slug: string) => {
  const run = await engine.request(slug)
  await engine.orchestration.triggerAgentRun(run)
  return run
}

function taking(engine: Engine): void {
  it('takes a run once, whoever hands it over how often, also after its end', async () => {
    const { orchestration, agents } = engine()
    const run = await engine().request(agents[0])
    const answers = await Promise.all([1, 2, 3].map(() => orchestration.triggerAgentRun(run)))
    for (const answer of answers) expect(answer.run_id).toBe(run.run_id)
    expect(answers.map(({ status }) => status)).toEqual(Array(3).fill('queued'))
    await finished(engine(), run)
    expect(await orchestration.triggerAgentRun(run)).toEqual({ run_id: run.run_id, status: 'completed' })
    await engine().workUntil(() => true)
    expect(engine().executed(run)).toBe(1)
  })

  it('refuses a run that nobody requested, and one of another agent', async () => {
    const { orchestration, agents } = engine()
    const run = await engine().request(agents[0])
    await expect(orchestration.triggerAgentRun({ ...run, run_id: randomUUID() })).rejects.toThrow()
    await expect(orchestration.triggerAgentRun({ ...run, agent_slug: agents[1] })).rejects.toThrow()
    await orchestration.triggerAgentRun(run)
    await finished(engine(), run)
  })

  it('says of a run what its status.json says, and nothing of one that it does not know', async () => {
    const { orchestration, agents } = engine()
    const run = await taken(engine(), agents[0])
    expect(await orchestration.getRunStatus(run.run_id)).toMatchObject({
      schema: 'status/1',
      ...run,
      status: 'queued',
      steps_total: 4,
      steps_completed: 0,
    })
    await finished(engine(), run)
    expect(await orchestration.getRunStatus(run.run_id)).toMatchObject({
      status: 'completed',
      steps_completed: 4,
    })
    expect(await orchestration.getRunStatus(randomUUID())).toBeNull()
  })
}

function concurrency(engine: Engine): void {
  it('lets one run of an agent run at a time, and so many in all', async () => {
    const { agents, limit } = engine()
    const release = engine().hold()
    const runs: RunToStart[] = []
    for (const slug of [agents[0], agents[0], agents[1], agents[1], agents[2]])
      runs.push(await taken(engine(), slug))
    const begun = () => runs.filter((run) => engine().executed(run) > 0)
    await engine().workUntil(() => begun().length === limit)
    await engine().workUntil(() => true)
    expect(new Set(begun().map((run) => run.agent_slug)).size).toBe(limit)
    expect(begun()).toHaveLength(limit)
    for (const run of runs)
      expect(await statusOf(engine(), run)).toBe(begun().includes(run) ? 'running' : 'queued')
    release()
    await finished(engine(), ...runs)
    expect(runs.map((run) => engine().executed(run))).toEqual([1, 1, 1, 1, 1])
  })
}

function durability(engine: Engine): void {
  it('continues after the last checkpoint when who worked on the run is gone', async () => {
    const release = engine().hold()
    const run = await taken(engine(), engine().agents[0])
    await engine().workUntil(() => engine().executed(run) === 1)
    expect(await engine().checkpoints(run)).toEqual({ 1: 1 })
    await engine().crash(run)
    // Whoever takes over begins step 02 again before the first one wakes up.
    await engine().workUntil(() => engine().executed(run) === 2)
    release()
    await finished(engine(), run)
    expect(engine().executed(run)).toBe(2)
    expect(await engine().checkpoints(run)).toEqual({ 1: 1, 2: 1, 3: 1, 4: 1 })
  })
}

function cancelling(engine: Engine): void {
  it('ends a run that waits before it starts, and one that runs at its next safe point', async () => {
    const { orchestration, agents } = engine()
    const release = engine().hold()
    const [running, waiting] = [await taken(engine(), agents[0]), await taken(engine(), agents[0])]
    await engine().workUntil(() => engine().executed(running) === 1)
    for (const { run_id } of [waiting, running, running])
      expect(await orchestration.cancelRun(run_id)).toEqual({ cancelled: true })
    expect(await statusOf(engine(), waiting)).toBe('cancelled')
    await engine().workUntil(async () => (await statusOf(engine(), running)) === 'cancelled')
    release()
    await engine().workUntil(() => true)
    expect(engine().executed(waiting)).toBe(0)
    expect(Object.keys(await engine().checkpoints(running))).toEqual(['1'])
  })

  it('is too late for one that has ended, and knows no other', async () => {
    const { orchestration, agents } = engine()
    const run = await taken(engine(), agents[0])
    await finished(engine(), run)
    expect(await orchestration.cancelRun(run.run_id)).toEqual({ cancelled: false })
    expect(await statusOf(engine(), run)).toBe('completed')
    expect(await orchestration.cancelRun(randomUUID())).toEqual({ cancelled: false })
  })
}

const HOUR = 3_600_000

function schedules(engine: Engine): void {
  it('keeps one schedule of an agent: registered again it is replaced, switched off it starts nothing', async () => {
    const { orchestration, agents } = engine()
    const agent_slug = agents[2]
    const noon = Date.UTC(new Date().getUTCFullYear() + 1, 5, 1, 12)
    const at = async (hours: number) => {
      await engine().clock(new Date(noon + hours * HOUR))
      return engine().scheduled(agent_slug)
    }
    await engine().clock(new Date(noon))
    await orchestration.registerSchedule({ agent_slug, cron: '30 12 * * *', enabled: true })
    expect([await at(0.25), await at(1), await at(2)]).toEqual([0, 1, 1])
    await orchestration.registerSchedule({
      agent_slug,
      cron: 'CRON_TZ=Europe/Kyiv 30 17 * * *',
      enabled: true,
    })
    await orchestration.registerSchedule({
      agent_slug,
      cron: 'CRON_TZ=Europe/Kyiv 30 17 * * *',
      enabled: true,
    })
    // 17:30 in Kyiv is 14:30 UTC in June; 12:30 UTC of the next day has no slot any more.
    expect([await at(2.25), await at(3), await at(25)]).toEqual([1, 2, 2])
    await orchestration.registerSchedule({
      agent_slug,
      cron: 'CRON_TZ=Europe/Kyiv 30 17 * * *',
      enabled: false,
    })
    expect(await at(48)).toBe(2)
    await orchestration.registerSchedule({ agent_slug, cron: null })
    await engine().clock(new Date(noon + 60 * HOUR))
    await orchestration.registerSchedule({
      agent_slug,
      cron: 'CRON_TZ=Europe/Kyiv 30 17 * * *',
      enabled: true,
    })
    // The time of before belongs to no schedule.
    expect([await at(60), await at(75)]).toEqual([2, 3])
  })
}
