import type OpenAI from 'openai'

export type ResponsesRequest = OpenAI.Responses.ResponseCreateParamsNonStreaming

/** Creates a response with the official client. @returns also the events of a streamed one */
export async function createResponse(
  { responses }: OpenAI,
  request: ResponsesRequest,
  { streamed }: { streamed: boolean },
) {
  const events: OpenAI.Responses.ResponseStreamEvent[] = []
  if (!streamed) return { answer: await responses.create(request), events }
  const stream = responses.stream(request as Parameters<typeof responses.stream>[0])
  stream.on('event', (event) => void events.push(event as (typeof events)[number]))
  const answer: OpenAI.Responses.Response = await stream.finalResponse()
  return { answer, events }
}
