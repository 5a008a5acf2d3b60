import { execFileSync } from 'node:child_process'
import fs from 'node:fs'
import path from 'node:path'
import type pg from 'pg'
import { waitUntil } from '#server/launch/testing/wait-until.ts'
import type { Product } from '../fixtures/product.ts'

/** From when until when something of the product was away, in epoch milliseconds. */
export type Outage = { what: string; from: number; to: number }

/** Kills a process of a running product, whose launcher starts it again, and waits until it works again. */
export class ProductStrikes {
  readonly outages: Outage[] = []
  readonly #product: Pick<Product, 'url' | 'home'>
  readonly #ledger: pg.Pool

  constructor(product: Pick<Product, 'url' | 'home'>, ledger: pg.Pool) {
    this.#product = product
    this.#ledger = ledger
  }

  web(): Promise<void> {
    const pid = this.#webPid()
    return this.#strike('web', pid, async () => this.#webPid() !== pid && (await this.#isOk()))
  }

  /** The loops of the new one have begun once it has said that it lives. */
  async worker(): Promise<void> {
    const pid = await this.#workerPid()
    await this.#strike('worker', pid, async () => (await this.#workerPid()) !== pid)
  }

  async database(): Promise<void> {
    const pid = Number(this.#postmaster()[0])
    const isBack = async () => {
      const lines = this.#postmaster()
      return Number(lines[0]) !== pid && lines[7]?.trim() === 'ready' && (await this.#isOk())
    }
    await this.#strike('PostgreSQL', pid, isBack)
  }

  async #strike(what: string, pid: number, isBack: () => Promise<boolean>): Promise<void> {
    const from = Date.now()
    process.kill(pid, 'SIGKILL')
    await waitUntil(isBack, { what: `${what} to be back`, timeoutMs: 180_000 })
    this.outages.push({ what, from, to: Date.now() })
  }

  #webPid(): number {
    const launcher = Number(
      fs.readFileSync(path.join(this.#product.home, 'instance.lock'), 'utf8').split(' ')[0],
    )
    const lines = execFileSync('ps', ['-A', '-o', 'pid=,ppid=,args='], { encoding: 'utf8' }).split('\n')
    const found = lines.map((line) => /^\s*(\d+)\s+(\d+)\s+(.*)$/.exec(line) ?? [])
    return Number(
      found.find(([, , parent, args = '']) => Number(parent) === launcher && /next/.test(args))?.[1],
    )
  }

  async #workerPid(): Promise<number> {
    const { rows } = await this.#ledger.query(
      'SELECT pid FROM worker_process WHERE stopped_at IS NULL ORDER BY started_at DESC LIMIT 1',
    )
    return rows[0].pid
  }

  #postmaster(): string[] {
    return fs.readFileSync(path.join(this.#product.home, 'postgres/postmaster.pid'), 'utf8').split('\n')
  }

  async #isOk(): Promise<boolean> {
    return (await fetch(`${this.#product.url}/health`, { signal: AbortSignal.timeout(5_000) })).ok
  }
}
