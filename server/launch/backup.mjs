/** `npm run backup -- <file> [--without-secrets]`: see launch/backup-home.mjs for what happens once the right Node is there. */
import { continueUnderOwnNode } from './continue.mjs'

await continueUnderOwnNode('backup-home.mjs')
