/** `npm run rotate-audit-key`: see server/composition/rotate-audit-key.ts. */
import { continueUnderOwnNode } from './continue.mjs'

await continueUnderOwnNode('in-home.mjs', ['none', 'server/composition/rotate-audit-key.ts'])
