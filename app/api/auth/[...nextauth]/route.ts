import type { NextRequest } from 'next/server'
import { handleNextAuth } from '#server/auth/next-auth-handler.ts'
import { webServices } from '#server/trpc/services.ts'

type Context = { params: Promise<{ nextauth: string[] }> }

async function handle(request: NextRequest, context: Context): Promise<Response> {
  const [services, { nextauth }] = await Promise.all([webServices(), context.params])
  return handleNextAuth(services, request, nextauth.join('/'))
}

export { handle as GET, handle as POST }
