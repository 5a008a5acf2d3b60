/** Leadership of one project as the control plane tells and changes it, over HTTP under the admin key. */
export type ControlPlaneAddress = { url: string; adminKey: string }
export type Leadership = {
  epoch: number
  term: number
  lease_state: string
  lease: { primary_node_id: string } | null
  pointer: { term: number } | null
}

export class LeadershipClient {
  readonly #canonicalId: string
  readonly #address: ControlPlaneAddress
  readonly #leaseSeconds: number

  constructor(canonicalId: string, address: ControlPlaneAddress, leaseSeconds: number) {
    this.#canonicalId = canonicalId
    this.#address = address
    this.#leaseSeconds = leaseSeconds
  }

  /** `null` where the store did not let it be known. */
  async leadership(): Promise<Leadership | null> {
    const { status, body } = await this.#call('GET', '')
    return status === 200 ? (body as Leadership) : null
  }

  select(primary_node_id: string, more: object) {
    return this.#call('POST', '/select', {
      ...{ primary_node_id, lease_seconds: this.#leaseSeconds, reason: 'chaos' },
      ...more,
    })
  }

  async #call(method: string, below: string, body?: object) {
    const { url, adminKey } = this.#address
    const response = await fetch(`${url}/projects/${this.#canonicalId}/leadership${below}`, {
      method,
      headers: { 'X-MEMBRIDGE-ADMIN': adminKey, ...(body ? { 'Content-Type': 'application/json' } : {}) },
      ...(body ? { body: JSON.stringify(body) } : {}),
    })
    const json: unknown = await response.json()
    return { status: response.status, body: json as Record<string, unknown> & Partial<Leadership> }
  }
}
