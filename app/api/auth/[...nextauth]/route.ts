import type { NextRequest } from 'next/server'
import { handleNextAuth } from '#server/auth/next-auth-handler.ts'
import { startingResponse } from '#server/http/answer.ts'
import { webServices } from '#server/trpc/services.ts'

type Context = { params: Promise<{ nextauth: string[] }> }

async function handle(request: NextRequest, context: Context): Promise<Response> {
  const services = await webServices().catch(() => null)
  if (!services) return startingResponse(request)
  return handleNextAuth(services, request, (await context.params).nextauth.join('/'))
}

export { handle as GET, handle as POST }
