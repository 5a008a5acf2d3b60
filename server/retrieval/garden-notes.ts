/** The texts of a garden's notes as they are kept in memory: read while others have their turn, and of very long ones only the beginning. */
import { isMarkdown, isNotePath } from '#domain/garden/garden-path.ts'
import { NOTE_BUDGET } from '#domain/garden/note-budget.rules.ts'
import { takingTurns } from '#server/garden/in-time.ts'
import type { GitEntry, GitFile, GitRepository } from '#server/ports/git-repository.ts'
import type { IndexDocument } from './document-lines.ts'
import { AT_ONCE, fewAtOnce } from './few-at-once.ts'

/**
 * `text` is the whole note up to the parser's budget of bytes, and the beginning of a longer one, a little more than the budget: such a note is
 * shown as it is written, which `wholeNotes` reads, and found by its beginning ([garden#budgets]). `bytes` and `sha256` are of the whole file.
 */
export type GardenNote = { path: string; text: string; sha256: string; bytes: number }
export type GardenNotes = {
  /** In byte order of the paths. */
  notes: readonly GardenNote[]
  /** What of them is searched. */
  documents: readonly IndexDocument[]
}
type ByBlob = ReadonlyMap<string, GardenNote>

/** Lines of a note that are searched; cutting more into passages would hold up everybody else. */
const SEARCHED_LINES = 20_000

/** The paths of the notes at a revision, in byte order, and the ids of their blobs; no text is read. */
export async function noteEntries(garden: GitRepository, revision: string): Promise<GitEntry[]> {
  return (await garden.list(revision)).filter(({ path }) => isMarkdown(path) && isNotePath(path))
}

/** The notes at a revision; those whose blob is `known` are not read again. `bytes`: what the texts take in memory. */
export async function readNotes(
  garden: GitRepository,
  revision: string,
  known: ByBlob = new Map(),
): Promise<GardenNotes & { byBlob: ByBlob; bytes: number }> {
  const entries = await noteEntries(garden, revision)
  const byBlob = new Map<string, GardenNote>()
  const notes: GardenNote[] = []
  const documents: IndexDocument[] = []
  let bytes = 0
  const turn = takingTurns()
  for (let at = 0; at < entries.length; at += AT_ONCE) {
    const next = entries.slice(at, at + AT_ONCE)
    const read = await Promise.all(
      next.map(({ path, oid }) => known.get(oid) ?? noteAt(garden, revision, path)),
    )
    for (const [i, { path, oid }] of next.entries()) {
      const found = read[i]
      if (!found) continue
      const note = found.path === path ? found : { ...found, path }
      byBlob.set(oid, note)
      notes.push(note)
      documents.push(documentOf(note, revision))
      bytes += note.text.length
      await turn()
    }
  }
  return { notes, documents, byBlob, bytes }
}

/** One note as the garden keeps it, or null. */
export async function noteAt(
  garden: GitRepository,
  revision: string,
  path: string,
): Promise<GardenNote | null> {
  const file = await garden.read(path, revision)
  return file && { path, text: keptText(file), sha256: file.sha256, bytes: file.bytes.byteLength }
}

/** The notes with all of their text, those that are long read again, a few at once. */
export const wholeNotes = (
  garden: GitRepository,
  revision: string,
  notes: readonly GardenNote[],
): Promise<GardenNote[]> =>
  fewAtOnce(notes, async (note) => {
    const file = note.bytes > NOTE_BUDGET.bytes ? await garden.read(note.path, revision) : null
    return file ? { ...note, text: file.text } : note
  })

/** Decoded anew, since a part of a string keeps the whole in memory. A character that is cut in two becomes one that says so. */
function keptText({ text, bytes }: GitFile): string {
  if (bytes.byteLength <= NOTE_BUDGET.bytes) return text
  return Buffer.from(bytes.buffer, bytes.byteOffset, NOTE_BUDGET.bytes + 1).toString('utf8')
}

const documentOf = ({ path, text, sha256 }: GardenNote, revision: string): IndexDocument => ({
  ref: path,
  revision,
  sha256,
  text: firstLines(text),
})

/** Of most texts the text itself: a copy would take as much memory again. */
function firstLines(text: string): string {
  if (text.length < SEARCHED_LINES) return text
  let at = -1
  for (let n = 0; n < SEARCHED_LINES; n++) {
    at = text.indexOf('\n', at + 1)
    if (at < 0) return text
  }
  return text.slice(0, at)
}
