import type { FieldFault } from '#contracts/field-faults.ts'

/** A request that is not carried out: its status, and what the caller reads under `detail` [edge#agent]. */
export class AgentRefusal extends Error {
  readonly status: number
  readonly detail: string | FieldFault[]
  readonly headers: Record<string, string>
  constructor(status: number, detail: string | FieldFault[], headers: Record<string, string> = {}) {
    super(typeof detail === 'string' ? detail : 'Some fields are not valid.')
    this.name = 'AgentRefusal'
    this.status = status
    this.detail = detail
    this.headers = headers
  }
}
