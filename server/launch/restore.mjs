/** `npm run restore -- <file> [--keep-sessions]`: see launch/restore-home.mjs for what happens once the right Node is there. */
import { continueUnderOwnNode } from './continue.mjs'

await continueUnderOwnNode('restore-home.mjs')
