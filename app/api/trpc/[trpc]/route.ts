import { answerTrpc } from '#server/trpc/answer-trpc.ts'
import { webServices } from '#server/trpc/services.ts'

async function handle(request: Request): Promise<Response> {
  return answerTrpc(await webServices(), request)
}

export { handle as GET, handle as POST }
