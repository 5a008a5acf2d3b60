/** `npm run sign-in-link [-- --force]`: prints a one-time link for the owner, see server/auth/print-sign-in-link.ts. */
import { continueUnderOwnNode } from './continue.mjs'

await continueUnderOwnNode('in-home.mjs', ['web', 'server/auth/print-sign-in-link.ts'])
