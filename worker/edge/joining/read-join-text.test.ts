import { expect, test } from 'vitest'
import { JOIN_VALUES, joinText } from '../testing/join-values.ts'
import { readJoinText } from './read-join-text.ts'

const read = (text: string | Buffer) => readJoinText(Buffer.from(text as string), '/home/ann')

test('reads what the dialog writes, and asks for no bucket where the store is a folder', () => {
  expect(read(joinText())).toEqual(JOIN_VALUES)
  const folder = { MINIO_ENDPOINT: 'file:///srv/store', MINIO_BUCKET: '' }
  expect(read(joinText(folder))).toMatchObject({ MINIO_ENDPOINT: 'file:///srv/store' })
})

const CANARY = 'canary9e2b'
const without = (name: string) => joinText().replace(new RegExp(`^${name}=.*\n`, 'm'), '')
test.each<[string, string | Buffer, RegExp]>([
  [
    'nothing',
    '',
    /^MINIO_ENDPOINT not set: copy the whole text of the dialog again\nERROR: MEMBRIDGE_SERVER_URL/,
  ],
  [
    'a text that was cut short',
    joinText().slice(0, -30).split('MEMBRIDGE_AGENT_KEY')[0] ?? '',
    /^MEMBRIDGE_AGENT_KEY not set: copy/,
  ],
  ['no node key', without('MEMBRIDGE_NODE_KEY'), /^MEMBRIDGE_NODE_KEY not set: copy/],
  ['no bucket', without('MINIO_BUCKET'), /^MINIO_BUCKET not set: copy/],
  ['an open quote', `${joinText()}MINIO_REGION='${CANARY}\n`, /^line 12 of the text is no assignment/],
  ['a line end in a value', joinText().replace('rpi4b', `rpi\n${CANARY}`), /^line 9 of the text/],
  ['a lone carriage return', joinText().replace('rpi4b', `r\r${CANARY}`), /^line 8 of the text/],
  ['a NUL', joinText().replace('rpi4b', `r\0${CANARY}`), /^MEMBRIDGE_NODE_ID must be one line/],
  ['an escape', joinText().replace('rpi4b', `'r\u001b[2J${CANARY}'`), /^MEMBRIDGE_NODE_ID must be/],
  ['a name that climbs', joinText().replace('rpi4b', `../${CANARY}`), /^MEMBRIDGE_NODE_ID must be/],
  ['a foreign variable', `${joinText()}FORCE_PUSH=1\n`, /^line 12 of the text assigns nothing/],
  ['a piece of a key', `${joinText()}${CANARY}=\n`, /^line 12 of the text assigns nothing/],
  ['a name twice', `${joinText()}MINIO_REGION=${CANARY}\n`, /^MINIO_REGION is assigned twice/],
  ['another kind of key', joinText({ MEMBRIDGE_NODE_KEY: CANARY }), /^MEMBRIDGE_NODE_KEY must have the form/],
  [
    'an agent key with blanks',
    joinText({ MEMBRIDGE_AGENT_KEY: `${CANARY} x` }),
    /AGENT_KEY must be printable/,
  ],
  ['no address', joinText({ MEMBRIDGE_SERVER_URL: `ftp://${CANARY}` }), /^MEMBRIDGE_SERVER_URL must be/],
  [
    'an address with a password',
    joinText({ MEMBRIDGE_SERVER_URL: `http://u:${CANARY}@h` }),
    /must not hold a user/,
  ],
  ['UTF-16', Buffer.from(joinText(), 'utf16le'), /^line 2 of the text/],
  ['Latin-1', Buffer.from(joinText().replace('rpi4b', 'pé'), 'latin1'), /^the text is not UTF-8/],
])('%s is refused in a sentence without what it holds', (_what, text, line) => {
  const refused = () => read(text)
  expect(refused).toThrow(line)
  expect(refused).not.toThrow(new RegExp(`${CANARY}|gbk_0|a{43}`))
})
