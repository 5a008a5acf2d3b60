import { keyText } from '#domain/machine-key/key-form.rules.ts'
import { type JoinValues, renderJoinText } from '#domain/membridge/join-text.rules.ts'

export const NODE_KEY = keyText('0123456789abcdef', 'n'.repeat(43))

export const JOIN_VALUES: JoinValues = {
  MINIO_ENDPOINT: 'https://store.example:9000',
  MINIO_BUCKET: 'bloom',
  MINIO_REGION: 'us-east-1',
  MEMBRIDGE_SERVER_URL: 'https://bloom.example:8000',
  MEMBRIDGE_NODE_ID: 'rpi4b',
  MEMBRIDGE_NODE_KEY: NODE_KEY,
  MEMBRIDGE_AGENT_KEY: 'a'.repeat(43),
}

/** The dialog's text for a node, with these values in place of the usual ones. */
export const joinText = (change: Partial<JoinValues> = {}): string =>
  renderJoinText({ ...JOIN_VALUES, ...change })
