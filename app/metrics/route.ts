import { answerRest } from '#server/http/web-app.ts'

export const dynamic = 'force-dynamic'
export { answerRest as GET, answerRest as POST }
