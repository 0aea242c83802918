import { requestHandler } from '../../../../shared/http/server/handler.ts'

/** A service that sends back what it is sent, as it comes, or at `…/environment` the variables that it has. */
export const handler = requestHandler({
  app: {
    fetch: ({ url, body }) =>
      url.endsWith('/environment') ? Response.json(process.env) : new Response(body),
  },
  timeoutSeconds: 60,
  mostUnderWay: 10,
  onFault(error) {
    throw error
  },
})
