import { answerTrpcRequest } from '#server/trpc/answer-trpc.ts'

export { answerTrpcRequest as GET, answerTrpcRequest as POST }
