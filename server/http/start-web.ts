/**
 * The web process: what stands before the framework, and then the framework, by the function that its own command line calls; that one would load first what
 * all of its commands need.
 */
import './before-framework.ts'
import { parseArgs } from 'node:util'

const { values } = parseArgs({ options: { hostname: { type: 'string' }, port: { type: 'string' } } })
// As the command line has it before the framework is loaded.
process.env.NEXT_RUNTIME = 'nodejs'
const { nextStart } = await import('next/dist/cli/next-start.js')
await nextStart({ hostname: values.hostname, port: Number(values.port) })
