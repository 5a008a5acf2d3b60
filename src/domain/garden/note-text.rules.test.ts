import { describe, expect, it } from 'vitest'
import { frontmatterLines, MAX_NOTE_BYTES, noteTextFault, toNoteText } from './note-text.rules.ts'

describe('text of a note', () => {
  it.each([
    ['a\0b\n', 'NUL'],
    ['a\r\nb\n', 'LF'],
    ['a\rb\n', 'LF'],
    ['a', 'final newline'],
    ['\ud800\n', 'Unicode'],
    [`${'я'.repeat(MAX_NOTE_BYTES / 2)}\n`, '1 MiB'],
  ])('finds the fault of %#', (text, why) => expect(noteTextFault(text)).toContain(why))

  it.each(['', '\n', 'a\n', 'Їжак 🌱\n', `${'a'.repeat(MAX_NOTE_BYTES - 1)}\n`])('lets %# stand', (text) => {
    expect(noteTextFault(text)).toBeNull()
  })

  it('turns a foreign file into one that may stand, and leaves a good one alone', () => {
    expect(toNoteText('a\r\nb\rc')).toBe('a\nb\nc\n')
    expect(toNoteText('a\n')).toBe('a\n')
    expect(toNoteText('')).toBe('')
    expect(toNoteText('\uFEFF---\na: 1\n---\n')).toBe('---\na: 1\n---\n')
    expect(toNoteText('a\uFEFFb\n')).toBe('a\uFEFFb\n')
    expect(noteTextFault(toNoteText('x\r\n\r\ny'))).toBeNull()
  })

  it.each([
    ['---\na: 1\n---\nbody\n', 3],
    ['---\n---\nbody\n', 2],
    ['---\na: 1\n...\nbody\n', 3],
    ['---\nnever closed\n', 0],
    ['text\n---\na\n---\n', 0],
    ['--- \na\n---\t\n', 3],
    ['---\r\na: 1\r\n---\r\nbody\r\n', 3],
    [' ---\na\n---\n', 0],
    ['\uFEFF---\na: 1\n---\nbody\n', 3],
    ['\uFEFF---\r\na: 1\r\n---\r\nbody\r\n', 3],
    ['---\na: 1\n\uFEFF---\nbody\n', 0],
    ['', 0],
  ])('counts the lines of the frontmatter of %j', (text, lines) => expect(frontmatterLines(text)).toBe(lines))
})
