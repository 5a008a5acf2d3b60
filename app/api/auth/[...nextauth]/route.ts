import type { NextRequest } from 'next/server'
import { webServices } from '#server/composition/web-services.ts'
import { startingResponse } from '#server/http/answer.ts'
import { handleNextAuth } from '#server/http/next-auth-handler.ts'

type Context = { params: Promise<{ nextauth: string[] }> }

async function handle(request: NextRequest, context: Context): Promise<Response> {
  const services = await webServices().catch(() => null)
  if (!services) return startingResponse(request)
  return handleNextAuth(services, request, (await context.params).nextauth.join('/'))
}

export { handle as GET, handle as POST }
