/** The thread that creates files, as `file-thread.ts` hands them over: while one batch is being flushed, the next is written. */
import { parentPort } from 'node:worker_threads'
import { createFiles, type NewFiles } from './create-files.ts'
import type { Answer, Batch } from './file-thread.ts'

async function created(files: NewFiles): Promise<Answer> {
  try {
    return { outcomes: await createFiles(files) }
  } catch (error) {
    // A clone of an error has no code.
    const { message, code } = error as NodeJS.ErrnoException
    return { fault: { message, code } }
  }
}

parentPort?.on('message', async ({ number, files }: Batch) =>
  parentPort?.postMessage({ number, answer: await created(files) }),
)
