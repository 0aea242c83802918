import { requestHandler } from '#shared/http/server/handler.ts'

/** A service that streams its request body back, and returns its environment at `…/environment`. */
export const handler = requestHandler({
  app: {
    fetch: ({ url, body }) =>
      url.endsWith('/environment') ? Response.json(process.env) : new Response(body),
  },
  timeoutSeconds: 60,
  maxUnderWay: 10,
  onFault(error) {
    throw error
  },
})
