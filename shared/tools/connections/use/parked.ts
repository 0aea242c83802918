import * as z from 'zod'
import type { ParkedRequest } from '#shared/permits/approvals/request.ts'

/** The fields of a tool call that is carried out later. Its arguments are the body, because they may be long. */
const parkedFields = z.object({ connection: z.string(), tool: z.string() })

const parkedInput = z.record(z.string(), z.unknown())

interface Call {
  name: string
  tool: string
  input: Record<string, unknown>
}

/** Returns a tool call as it is carried out after its approval. */
export function toParkedCall({ name, tool, input }: Call): ParkedRequest {
  return { json: { connection: name, tool }, body: Buffer.from(JSON.stringify(input)) }
}

/** Returns the tool call of a parked request. */
export function fromParkedCall({ json, body }: ParkedRequest): Call {
  const { connection: name, tool } = parkedFields.parse(json)
  const input = parkedInput.parse(JSON.parse(Buffer.from(body ?? '{}').toString()))
  return { name, tool, input }
}
