import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { assignmentLine, fitsInLine, type JoinValues, renderJoinText } from './join-text.rules.ts'

const VALUES: JoinValues = {
  MINIO_ENDPOINT: 'https://store.example:9000',
  MINIO_BUCKET: 'bloom',
  MINIO_REGION: 'us-east-1',
  MEMBRIDGE_SERVER_URL: 'https://bloom.example:8000',
  MEMBRIDGE_NODE_ID: "ann's board",
  MEMBRIDGE_NODE_KEY: 'gbk_0123456789abcdef_secret',
  MEMBRIDGE_AGENT_KEY: 'derived',
}

describe('the text that joins a node', () => {
  it('holds every value in its order, and empty lines for what a person types in', () => {
    expect(renderJoinText(VALUES)).toBe(
      [
        '# Membridge node: paste into `membridge join`. Holds keys; shown once.',
        'MINIO_ENDPOINT=https://store.example:9000',
        'MINIO_BUCKET=bloom',
        'MINIO_REGION=us-east-1',
        'MINIO_ACCESS_KEY=',
        'MINIO_SECRET_KEY=',
        'MEMBRIDGE_SERVER_URL=https://bloom.example:8000',
        `MEMBRIDGE_NODE_ID='ann'"'"'s board'`,
        'MEMBRIDGE_NODE_KEY=gbk_0123456789abcdef_secret',
        'MEMBRIDGE_AGENT_KEY=derived',
        '# End of node settings',
        '',
      ].join('\n'),
    )
  })

  it('asks for no keys of a folder, and may name the project', () => {
    const text = renderJoinText({ ...VALUES, MINIO_ENDPOINT: 'file:///srv/store', CLAUDE_PROJECT_ID: 'mem' })
    expect(text).not.toMatch(/ACCESS_KEY|SECRET_KEY/)
    expect(text).toContain('MEMBRIDGE_AGENT_KEY=derived\nCLAUDE_PROJECT_ID=mem\n# End')
  })

  it.each(['a\nb', 'a\rb', 'a\0b', 'a\u001bb', 'a\u2028b', 'a\ud800'])(
    'refuses %j without repeating it',
    (value) => {
      expect(fitsInLine(value)).toBe(false)
      expect(() => renderJoinText({ ...VALUES, MEMBRIDGE_NODE_ID: value })).toThrow(
        /^MEMBRIDGE_NODE_ID must be one line without control characters$/,
      )
    },
  )

  it('writes one line for any value that fits in one', () => {
    const printable = fc.string({ unit: 'binary' }).filter(fitsInLine)
    fc.assert(fc.property(printable, (value) => assignmentLine('A', value).split(/\r?\n/).length === 1))
  })
})
