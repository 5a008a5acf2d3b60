import type { Person } from '#server/ports/git-repository.ts'

/**
 * Commits between what they say and their bytes. As with blobs and trees (`loose-object.ts`), the library takes ten times as long for one: the whole
 * branch is read when a process starts, and one commit is written and read back for every decision.
 */
export type CommitContent = {
  tree: string
  parents: string[]
  message: string
  author: Person
  committer: Person
}
type Signature = Person & { at: Date }
/** A commit as it is read: with the dates of both. */
export type ReadCommit = CommitContent & { author: Signature; committer: Signature }

const SIGNATURE = /^(.*) <(.*)> (-?\d+) [+-]\d+$/
const OID = /^[0-9a-f]{40}$/

/** Without carriage returns and empty lines around, and with a newline at its end. */
const withOneEnd = (message: string): string =>
  `${message.replaceAll('\r', '').replace(/^\n+/, '').replace(/\n+$/, '')}\n`

const clean = (text: string): string => text.replace(/[\p{Cc}<>]/gu, ' ').trim() || 'unknown'

function signature({ name, email, at }: Person, now: Date): string {
  const seconds = Math.floor((at ?? now).getTime() / 1000)
  return `${clean(name)} <${clean(email).replaceAll(' ', '')}> ${seconds} +0000`
}

/** The bytes of a commit; a person without a date signs now, and what a signature cannot hold is left out of it. */
export function commitBytes({ tree, parents, message, author, committer }: CommitContent): Buffer {
  const now = new Date()
  const headers = [
    `tree ${tree}`,
    ...parents.map((parent) => `parent ${parent}`),
    `author ${signature(author, now)}`,
    `committer ${signature(committer, now)}`,
  ]
  return Buffer.from(`${headers.join('\n')}\n\n${withOneEnd(message.replaceAll('\0', '').trimEnd())}`)
}

/**
 * What the bytes of a commit say. As git does, the tree and the parents are read by their place, and of the other headers the first of its name counts; a
 * line that begins with a space goes on with the one before. Throws where it is torn.
 */
export function readCommit(bytes: Uint8Array): ReadCommit {
  const text = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength).toString('utf8')
  const end = text.indexOf('\n\n')
  const lines = text.slice(0, end < 0 ? text.length : end).split('\n')
  const after = (name: string, line = ''): string | null =>
    line.startsWith(`${name} `) ? line.slice(name.length + 1) : null
  const first = (name: string): string | null => {
    const line = lines.find((one) => one.startsWith(`${name} `))
    return after(name, line)
  }
  const tree = after('tree', lines[0])
  if (tree === null || !OID.test(tree)) throw new Error('the commit is torn')
  const parents: string[] = []
  for (const line of lines.slice(1)) {
    const parent = after('parent', line)
    if (parent === null) break
    parents.push(parent)
  }
  const message = withOneEnd(end < 0 ? '' : text.slice(end + 2))
  return { tree, parents, message, author: person(first('author')), committer: person(first('committer')) }
}

function person(line: string | null): Signature {
  const [, name = '', email = '', seconds] = SIGNATURE.exec(line ?? '') ?? []
  if (seconds === undefined) throw new Error('the commit is torn')
  return { name, email, at: new Date(Number(seconds) * 1000) }
}
