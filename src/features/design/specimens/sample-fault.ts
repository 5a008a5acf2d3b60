/** A fault as the server answers it. */
export const SAMPLE_FAULT = {
  error: { code: 'STORAGE_UNAVAILABLE', message: 'The object store does not answer.', retryable: true },
  correlation_id: '01hq3v9k7m-4c2e-9b1f-5d0a7c3e8f21',
}
