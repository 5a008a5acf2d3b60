import type { Services } from '#server/composition/services.ts'

/** Where the NotebookLM Backend reports: built from the configuration and the job alone (11:C6). */
export const callbackUrl = (env: Pick<Services['env'], 'GATEWAY_URL'>, jobId: string): string =>
  `${env.GATEWAY_URL}/api/v1/jobs/${jobId}/result`
