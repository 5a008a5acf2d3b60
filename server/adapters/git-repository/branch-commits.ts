import { takingTurns } from '#server/garden/in-time.ts'
import type { GitObjects } from './git-objects.ts'

/**
 * Which commits stand on the branch: its head and whatever the head descends from.
 *
 * History is read back only as far as a question needs, and each commit once: a branch that grew adds what is new. One that was set
 * back is read anew, so that a commit which left it is not taken for a part of it. Questions wait for one another.
 */
export class BranchCommits {
  readonly #parentsOf: (oid: string) => Promise<readonly string[]>
  #head: string | null = null
  #known = new Set<string>()
  /** Known commits whose parents have not been read. */
  #open: string[] = []
  #turn: Promise<unknown> = Promise.resolve()

  constructor(parentsOf: (oid: string) => Promise<readonly string[]>) {
    this.#parentsOf = parentsOf
  }

  /** Whether the commit is the head or an ancestor of it. */
  has(head: string, oid: string): Promise<boolean> {
    const answer = this.#turn.then(() => this.#search(head, oid))
    this.#turn = answer.catch(() => {})
    return answer
  }

  async #search(head: string, oid: string): Promise<boolean> {
    if (head !== this.#head) await this.#follow(head)
    while (!this.#known.has(oid)) {
      const next = this.#open.at(-1)
      if (next === undefined) return false
      const parents = await this.#parentsOf(next)
      this.#open.pop()
      for (const parent of parents) if (!this.#known.has(parent)) this.#open.push(parent)
      for (const parent of parents) this.#known.add(parent)
    }
    return true
  }

  async #follow(head: string): Promise<void> {
    const fresh = new Set([head])
    const open = this.#head === null ? [] : [head]
    let grew = false
    for (let next = open.pop(); next !== undefined; next = open.pop()) {
      for (const parent of await this.#parentsOf(next)) {
        if (parent === this.#head) grew = true
        else if (!fresh.has(parent)) open.push(parent)
        fresh.add(parent)
      }
    }
    if (grew) for (const oid of this.#known) fresh.add(oid)
    if (this.#head === null) this.#open = [head]
    else if (!grew) this.#open = []
    this.#known = fresh
    this.#head = head
  }
}

/** Whether a revision is a commit or stands on it; others have their turn between the commits. */
export async function isBehind(
  objects: Pick<GitObjects, 'commit'>,
  oid: string,
  revision: string,
): Promise<boolean> {
  const turn = takingTurns()
  const past = new Set([revision])
  for (const at of past) {
    if (at === oid) return true
    for (const parent of (await objects.commit(at)).parents) past.add(parent)
    await turn()
  }
  return false
}
