/**
 * What a comment cites stands in the house: a check of `npm run check`.
 *
 * A reference is a room and an anchor, joined by # and in brackets. It leads to `server/<room>/README.md` (the rooms
 * `domain`, `leadership` and `worker` to their own folders) and there to a heading by its slug, or to an id that it introduces in
 * bold: `**J4**`. Pages and numbered decisions of a book that is not in the house are refused.
 */
import fs from 'node:fs'
import path from 'node:path'
import { ROOT } from './checkout.mjs'
import { commentsOf } from './comments.mjs'
import { print } from './progress.mjs'
import { sourceFiles } from './sources.mjs'

const ENDINGS = ['.ts', '.tsx', '.mjs', '.sql', '.prisma']
/** A migration that was applied somewhere cannot be edited, not even its comments. */
const UNALTERABLE = 'prisma/migrations/'
const REFERENCE = /(?<!\[)\[([a-z][a-z-]*)#([^\]\s]+)\]/g
const FOREIGN = /\bpages? \d{2}\b|\bcontract page|\b11:[A-Z]\d+|\bD\d{1,2}\b/g
const ROOM_FOLDERS = { domain: 'src/domain', leadership: 'src/domain/leadership', worker: 'worker' }

/**
 * @param {string} [base] a checkout (this one by default)
 * @returns {string[]} the faults
 */
export function referenceFaults(base = ROOT) {
  const anchors = new Map()
  const faults = []
  for (const { place, text } of allComments(base)) {
    for (const [cited, room, anchor] of text.matchAll(REFERENCE)) {
      const why = unresolved(anchorsOf(anchors, base, room), room, anchor)
      if (why) faults.push(`${place}: ${cited} ${why}`)
    }
    const foreign = place.startsWith(UNALTERABLE) ? [] : (text.match(FOREIGN) ?? [])
    for (const cited of foreign) faults.push(`${place}: "${cited}" is of a book that is not in the house`)
  }
  return faults
}

/**
 * Every reference that leads out of the house.
 * @param {string} [base]
 * @returns {string[]}
 */
export function foreignReferences(base = ROOT) {
  const comments = allComments(base).filter(({ place }) => !place.startsWith(UNALTERABLE))
  return comments.flatMap(({ text }) => text.match(FOREIGN) ?? [])
}

function allComments(base) {
  return sourceFiles(ENDINGS, base).flatMap((file) =>
    commentsOf(file, fs.readFileSync(path.join(base, file), 'utf8')).map(({ line, text }) => ({
      place: `${file}:${line}`,
      text,
    })),
  )
}

const readmeOf = (room) => `${ROOM_FOLDERS[room] ?? `server/${room}`}/README.md`

function anchorsOf(known, base, room) {
  if (!known.has(room)) {
    const file = path.join(base, readmeOf(room))
    known.set(room, fs.existsSync(file) ? readAnchors(fs.readFileSync(file, 'utf8')) : null)
  }
  return known.get(room)
}

function unresolved(anchors, room, anchor) {
  if (!anchors) return `leads nowhere: there is no ${readmeOf(room)}`
  return anchors.has(anchor) ? '' : `leads nowhere: ${readmeOf(room)} has no such heading or id`
}

/**
 * The places of a README that a comment can cite.
 * @param {string} text
 * @returns {Set<string>}
 */
export function readAnchors(text) {
  const anchors = new Set()
  for (const line of text.replace(/^```[\s\S]*?^```/gm, '').split('\n')) {
    const heading = /^#{1,6}\s+(.*?)\s*$/.exec(line)?.[1]
    const first = /^[\s|*+-]*?\*\*([^*\s]+)\*\*/.exec(line)?.[1]
    const numbered = [...line.matchAll(/\*\*([A-Z][A-Za-z-]*\d+)\*\*/g)].map(([, id]) => id)
    if (heading) addSlug(anchors, heading)
    for (const id of [first, ...numbered]) if (id) anchors.add(id)
  }
  return anchors
}

/** The slug of a heading as GitHub makes it; one that is there already gets a number. */
function addSlug(anchors, heading) {
  const slug = heading
    .toLowerCase()
    .replace(/[^\p{L}\p{N}\s_-]/gu, '')
    .replace(/\s/g, '-')
  let unique = slug
  for (let n = 1; anchors.has(unique); n++) unique = `${slug}-${n}`
  anchors.add(unique)
}

if (process.argv[1] === import.meta.filename) {
  const faults = referenceFaults()
  for (const fault of faults) console.error(fault)
  print(`${faults.length} fault(s) in references\n`)
  process.exit(faults.length === 0 ? 0 : 1)
}
