/** What is found from anywhere in the console ([search#purpose]), in the order it is shown. */
export const SEARCH_KINDS = ['proposal', 'job', 'run', 'note', 'agent', 'artifact', 'zone'] as const
