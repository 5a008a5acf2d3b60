/**
 * The notes of one revision, as far as they are parsed. After a push many texts are new, and a parse may take half a second of processor time
 * each: who lists the garden does not wait for them all. A note that is not parsed yet stands there with what it states by itself: the title
 * and tags of its front matter, without those of its text ([garden#reading]). These tags are among those of the parsed note, whatever
 * becomes of the parse, so a zone that goes by them shows no note too many; it shows the others once they are read.
 *
 * Reading goes on after an answer, behind the texts that somebody waits for, and is begun anew where it failed.
 */
import { processWide } from '#domain/kernel/process-wide.ts'
import { endsWithin, PATIENCE_MS, takingTurns } from './in-time.ts'
import { type ParsedNote, plainNote } from './parsed-note.ts'
import { type NoteSource, parsedNote } from './read-note.ts'

type Sources = readonly NoteSource[]
type Reading = {
  parsed: Map<string, ParsedNote>
  /** What notes state by themselves, of those that were asked for before they were parsed. */
  stated: Map<string, ParsedNote>
  whole: boolean
  /** By `performance.now()`. */
  began: number
  end: Promise<void>
}
export type NotesSoFar = {
  /** A note as parsed, else what it states; a note that nobody came to in time is known by its path alone. */
  note(path: string): ParsedNote | undefined
  isParsed(path: string): boolean
  /** Whether every note is parsed. */
  whole: boolean
}

/** Milliseconds that a page may wait for the parser, and then for the front matter of what is not parsed. */
const PATIENCE = { parse: PATIENCE_MS, state: 100 }

const readings = processWide('garden-readings', () => new WeakMap<Sources, Reading>())

/**
 * The notes within a moment, which counts from the beginning of the reading: while a long one goes on, nobody waits for it again. `notes`
 * must not change afterwards.
 */
export async function readInTime(notes: Sources, patience = PATIENCE): Promise<NotesSoFar> {
  const reading = readingOf(notes)
  if (!reading.whole) await endsWithin(reading.end, reading.began + patience.parse - performance.now())
  if (!reading.whole) await readStated(reading, notes, patience.state)
  const byPath = new Map(notes.map((note) => [note.path, note]))
  return {
    whole: reading.whole,
    isParsed: (path) => reading.parsed.has(path),
    note: (path) => noteSoFar(reading, byPath.get(path)),
  }
}

/** Every note parsed, however long that takes. */
export async function readWhole(notes: Sources): Promise<ReadonlyMap<string, ParsedNote>> {
  const reading = readingOf(notes)
  await reading.end
  return reading.parsed
}

function readingOf(notes: Sources): Reading {
  const known = readings.get(notes)
  if (known) return known
  const reading: Reading = {
    parsed: new Map(),
    stated: new Map(),
    whole: false,
    began: performance.now(),
    end: Promise.resolve(),
  }
  readings.set(notes, reading)
  reading.end = parseAll(notes, reading)
  reading.end.catch(() => readings.delete(notes))
  return reading
}

async function parseAll(notes: Sources, reading: Reading): Promise<void> {
  await Promise.all(notes.map(async (note) => reading.parsed.set(note.path, await parsedNote(note, true))))
  reading.whole = true
  reading.stated.clear()
}

async function readStated({ parsed, stated }: Reading, notes: Sources, forMs: number): Promise<void> {
  const began = performance.now()
  const turn = takingTurns()
  for (const { path, text } of notes) {
    if (parsed.has(path) || stated.has(path)) continue
    stated.set(path, plainNote(path, text, null))
    if (performance.now() - began > forMs) return
    await turn()
  }
}

const noteSoFar = ({ parsed, stated }: Reading, source: NoteSource | undefined): ParsedNote | undefined =>
  source && (parsed.get(source.path) ?? stated.get(source.path) ?? plainNote(source.path, '', null))
