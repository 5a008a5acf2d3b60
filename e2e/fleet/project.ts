import { createHash } from 'node:crypto'
import { setTimeout as pause } from 'node:timers/promises'
import { canonicalIdOf } from '#domain/membridge/identity.rules.ts'
import { projectKeys } from '#domain/membridge/project-keys.ts'
import type { ObjectStore } from '#server/ports/object-store.ts'
import { titlesOf } from '#worker/edge/testing/memory-file.ts'
import { chainOf, pushesOf } from './judge-history.ts'
import { type Ended, FleetNode, type Running } from './node.ts'
import type { AcceptedWrite } from './recording-proxy.ts'

/** What happened in all rounds together; `faults` are reports that disagree with what the store accepted. */
export type Tally = {
  rounds: number
  stopped: number
  killed: number
  stale: number
  promoted: number
  pushed: number
  raced: number
  faults: string[]
}

export type Surroundings = {
  controlPlane: { url: string; adminKey: string }
  env: Record<string, string>
  random: () => number
  tally: Tally
  writes: readonly AcceptedWrite[]
  store: Pick<ObjectStore, 'list' | 'get'>
  leaseSeconds: number
}

type Said = { result?: string; push_id?: string; error?: string }
/** What a push says that does not know, or that the pointer has it. */
const OPEN = /^COMMITTED|did not answer whether/
/** A request of a process that has ended may still be on its way. */
const LATE_MS = 100

type Shown = {
  epoch: number
  term: number
  lease_state: string
  lease: { primary_node_id: string } | null
  pointer: { term: number } | null
}

const NODES = ['a', 'b', 'c']
/** So far apart that no two nodes make the same observation. */
const APART = 1_000_000
const FIRST_ROWS = 20
/** A Push Lock that a killed process left blocks so long, in seconds. */
const LOCK = { LOCK_TTL_SECONDS: '4', STALE_LOCK_GRACE_SECONDS: '1' }
/** A push is over by then, wherever it is hit. */
const PUSH_MS = 1_800

/** A project of three nodes: who is primary, and the rounds that are played with it. */
export class Project {
  readonly name: string
  readonly canonicalId: string
  trouble = ''
  readonly #nodes: FleetNode[]
  readonly #around: Surroundings
  #primary: string

  constructor(name: string, around: Surroundings) {
    this.name = name
    this.canonicalId = idOf(name)
    this.#around = around
    this.#nodes = Project.nodes(name, around.env)
    this.#primary = this.#nodes[0]?.id ?? ''
  }

  static nodes(project: string, env: Record<string, string>, count = NODES.length): FleetNode[] {
    return NODES.slice(0, count).map(
      (id) =>
        new FleetNode(
          id,
          { ...env, ...LOCK, CLAUDE_PROJECT_ID: project, LEADERSHIP_LEASE_SECONDS: '60' },
          FIRST_ROWS,
        ),
    )
  }

  /** The first node becomes primary and pushes; the others pull. */
  async begin(): Promise<void> {
    await this.#until('the first push', async () => (await this.#push(this.#node(this.#primary))).code === 0)
    for (const node of this.#others()) await this.#follow(node)
  }

  /** The primary is hit in mid-push, another takes its place and pushes, and the old one goes on or comes back. */
  async round(signal: 'SIGSTOP' | 'SIGKILL'): Promise<void> {
    const { random, tally } = this.#around
    const old = this.#node(this.#primary)
    const next = this.#pick(this.#others())
    await this.#follow(next)
    this.#grow(old)
    const pushing = old.start(['push', '--json'])
    await pause(random() * PUSH_MS)
    const isHit = hit(pushing, signal)
    if (isHit) tally[signal === 'SIGSTOP' ? 'stopped' : 'killed']++
    await this.#promote(next.id)
    this.#grow(next)
    await this.#until(`a push of ${next.id}`, async () => (await this.#push(next)).code === 0)
    if (isHit && signal === 'SIGSTOP') pushing.child.kill('SIGCONT')
    const ended = await pushing.ended
    this.#compare(old.id, ended)
    if (ended.code === 3) tally.stale++
    if (signal === 'SIGKILL') {
      const returned = await this.#push(old)
      if (returned.code === 0) tally.faults.push(`${this.name}: ${old.id} pushed after it was replaced`)
      if (returned.code === 3) tally.stale++
    }
    await this.#follow(old)
  }

  /** Two operators promote different nodes on what they were both shown. */
  async race(): Promise<void> {
    const { tally } = this.#around
    const { epoch } = await this.#leadership()
    const [one, other] = this.#others()
    if (!one || !other) return
    // Whoever wins must not be behind what was pushed: a primary does not pull.
    for (const node of [one, other]) await this.#follow(node)
    const answers = await Promise.all(
      [one, other].map(({ id }) => this.#select(id, { expected_epoch: epoch, force: true })),
    )
    const won = answers.filter(({ status }) => status === 200)
    const lost = answers.filter(({ status }) => status === 409)
    // A store that did not answer (503) may leave one of them open; two winners are never right.
    if (won.length > 1) tally.faults.push(`${this.name}: both promotions of epoch ${epoch} won`)
    for (const { body } of lost)
      if (body.code === 'EPOCH_STALE' && !body.lease)
        tally.faults.push(`${this.name}: the loser is not told who won`)
    tally.raced++
    this.#primary = (await this.#leadership()).lease?.primary_node_id ?? this.#primary
    for (const node of this.#others()) await this.#follow(node)
  }

  /** The primary is gone for good; once its lease has ended another is promoted without force. Seconds from that end to the new push. */
  async failover(): Promise<number> {
    const old = this.#node(this.#primary)
    const next = this.#pick(this.#others())
    await this.#follow(next)
    const pushing = old.start(['push', '--json'])
    await pause(300)
    hit(pushing, 'SIGKILL')
    await pushing.ended
    await this.#until(
      'the end of the lease',
      async () => (await this.#leadership()).lease_state === 'expired',
    )
    const endedAt = this.#leaseEnd()
    await this.#promote(next.id, { force: false })
    this.#grow(next)
    await this.#until(`a push of ${next.id}`, async () => (await this.#push(next)).code === 0)
    const pushedAt = pushesOf(this.ownWrites()).at(-1)?.write.at ?? Number.POSITIVE_INFINITY
    await this.#follow(old)
    return (pushedAt - endedAt) / 1000
  }

  /** All nodes take what was pushed last; true when they then hold the same rows. */
  async settle(): Promise<boolean> {
    const primary = this.#node(this.#primary)
    await this.#until('the last push', async () => (await this.#push(primary)).code === 0)
    for (const node of this.#others()) await this.#follow(node)
    const digests = this.#nodes.map(({ database }) => sha256(titlesOf(database).toSorted().join('\n')))
    if (new Set(digests).size !== 1) this.trouble = digests.join(' ')
    return new Set(digests).size === 1
  }

  /** The pointer carries the lease's term, and each selection has one audit object. */
  async isWhole(): Promise<boolean> {
    const { term, pointer } = await this.#leadership()
    const { keys } = await this.#around.store.list(projectKeys(this.canonicalId).audits)
    const nonces: string[] = []
    for (const key of keys) {
      const { event, nonce } = JSON.parse(
        new TextDecoder().decode((await this.#around.store.get(key))?.bytes),
      )
      if (event === 'select') nonces.push(nonce)
    }
    const { chain } = chainOf(this.ownWrites().filter(({ key }) => key.endsWith('/lease.json')))
    const selected = chain
      .filter(({ fields }) => fields.issued_by === 'control-plane')
      .map(({ fields }) => fields.nonce)
    this.trouble = `lease term ${term}, pointer term ${pointer?.term}; ${selected.length} selections, ${nonces.length} audit objects`
    return term === pointer?.term && nonces.toSorted().join() === selected.toSorted().join()
  }

  /** What the store accepted of this project's lease and pointer. */
  ownWrites(): AcceptedWrite[] {
    return this.#around.writes.filter(({ key }) => key.includes(`/projects/${this.canonicalId}/`))
  }

  remove(): void {
    for (const node of this.#nodes) node.remove()
  }

  #node(id: string): FleetNode {
    const node = this.#nodes.find((one) => one.id === id)
    if (!node) throw new Error(`${this.name} has no node ${id}`)
    return node
  }

  #others(): FleetNode[] {
    return this.#nodes.filter(({ id }) => id !== this.#primary)
  }

  #pick(nodes: FleetNode[]): FleetNode {
    const node = nodes[Math.floor(this.#around.random() * nodes.length)]
    if (!node) throw new Error('nobody to pick')
    return node
  }

  #grow(node: FleetNode): void {
    const own = NODES.indexOf(node.id) + 1
    node.write(5 + Math.floor(this.#around.random() * 20), own * APART + node.rows * 10)
  }

  /** Pushes, and compares what it said with what the store accepted. */
  async #push(node: FleetNode): Promise<Ended> {
    const ended = await node.run(['push', '--json'])
    this.trouble = ended.stderr
    this.#compare(node.id, ended)
    if (ended.code === 0) this.#around.tally.pushed++
    return ended
  }

  /** A report of a push against the history; one that was killed reported nothing, and one that was left open says so. */
  #compare(nodeId: string, { code, began, ended, stdout }: Ended): void {
    const own = pushesOf(this.ownWrites())
      .filter(
        ({ write, fields }) => fields.node_id === nodeId && write.at >= began && write.at <= ended + LATE_MS,
      )
      .map(({ fields }) => fields.push_id)
    if (code === null) return
    const { result = 'failed', push_id, error = '' } = JSON.parse(stdout || '{}') as Said
    const { faults } = this.#around.tally
    if (result === 'pushed') {
      if (!own.includes(push_id))
        faults.push(`${this.name}: ${nodeId} said pushed, and the store did not accept it`)
    } else if (own.length > 0 && !OPEN.test(error))
      faults.push(`${this.name}: ${nodeId} said ${error || result}, and the store accepted its push`)
  }

  /** Takes what was pushed last, whatever it costs here. */
  async #follow(node: FleetNode): Promise<void> {
    await this.#until(`a pull of ${node.id}`, async () => {
      const { code, stderr } = await node.run(['pull', '--accept-local-loss', '--json'])
      this.trouble = stderr
      return code === 0
    })
  }

  async #promote(nodeId: string, more: object = { force: true }): Promise<void> {
    await this.#until(`the promotion of ${nodeId}`, async () => {
      const { status, body } = await this.#select(nodeId, more)
      this.trouble = JSON.stringify(body)
      return status === 200
    })
    this.#primary = nodeId
    this.#around.tally.promoted++
  }

  async #select(primary_node_id: string, more: object) {
    return await this.#call('POST', '/select', {
      ...{ primary_node_id, lease_seconds: this.#around.leaseSeconds, reason: 'chaos' },
      ...more,
    })
  }

  async #leadership(): Promise<Shown> {
    let found: Shown | null = null
    await this.#until('an answer about leadership', async () => {
      const { status, body } = await this.#call('GET', '')
      found = status === 200 ? (body as Shown) : null
      return found !== null
    })
    return found as unknown as Shown
  }

  async #call(method: string, below: string, body?: object) {
    const { url, adminKey } = this.#around.controlPlane
    const response = await fetch(`${url}/projects/${this.canonicalId}/leadership${below}`, {
      method,
      headers: { 'X-MEMBRIDGE-ADMIN': adminKey, ...(body ? { 'Content-Type': 'application/json' } : {}) },
      ...(body ? { body: JSON.stringify(body) } : {}),
    })
    return { status: response.status, body: (await response.json()) as Record<string, unknown> }
  }

  /** When the last lease of the history ends, in milliseconds of this process. */
  #leaseEnd(): number {
    const last = chainOf(this.ownWrites().filter(({ key }) => key.endsWith('/lease.json'))).chain.at(-1)
    return (last?.write.at ?? 0) + this.#around.leaseSeconds * 1000
  }

  async #until(what: string, isDone: () => Promise<boolean>): Promise<void> {
    const limit = performance.now() + 180_000
    while (!(await isDone())) {
      if (performance.now() > limit)
        throw new Error(`${this.name}: ${what} did not come about: ${this.trouble}`)
      await pause(500)
    }
  }
}

/** Whether the process was still there to be hit. */
function hit({ child }: Running, signal: NodeJS.Signals): boolean {
  return child.exitCode === null && child.kill(signal)
}

const sha256 = (text: string): string => createHash('sha256').update(text).digest('hex')
const idOf = (name: string): string => canonicalIdOf(name, sha256)
