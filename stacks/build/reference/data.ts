import { codes, type ErrorCode } from '#shared/http/openapi/codes.ts'
import {
  type DocumentedResponse,
  type OpenApiDocument,
  type DocumentedOperation,
  errorDescription,
} from '#shared/http/openapi/document.ts'
import { clientCalls } from './client-calls.ts'
import { commandLines } from './commands.ts'
import { curlOf, type SurfaceName } from './curl.ts'
import { type Example, examplesOf } from './operation.ts'

/** Returns the data of a surface's reference page, which console/pages/reference/data.ts reads. */
export async function referenceData(surface: SurfaceName, document: OpenApiDocument) {
  const examples = examplesOf(document)
  // The client and the command line only use the web surface.
  const [calls, lines] =
    surface === 'web'
      ? [await clientCalls(examples), await commandLines(examples)]
      : [new Map<string, string>(), new Map<string, string>()]
  const operations = examples.map((example) => {
    const { operation, path, method } = example
    const documented = document.paths[path]?.[method.toLowerCase()]
    if (documented === undefined) throw new Error(`${operation} is not in its document`)
    return Object.assign(operationData(documented), {
      method,
      path,
      curl: curlOf(surface, example),
      command: lines.get(operation),
      call: calls.get(operation),
      sample: sampleBody(example),
    })
  })
  const used = new Set(operations.flatMap(({ refusals }) => refusals.flatMap((one) => one.codes)))
  const schemes = new Set(
    operations.flatMap(({ security }) => security.map(({ scheme }) => scheme)),
  )
  return {
    surface,
    groups: document.tags.map(({ name }) => name).sort(),
    operations,
    schemas: document.components.schemas,
    schemes: Object.fromEntries(
      Object.entries(document.components.securitySchemes)
        .filter(([name]) => schemes.has(name))
        .map(([name, { description }]) => [name, description]),
    ),
    codes: Object.fromEntries(
      [...used].sort().map((code: ErrorCode) => [code, codes[code].means] as const),
    ),
  }
}

function operationData({
  operationId,
  summary,
  description,
  tags,
  security,
  'x-scopes': scopes = [],
  parameters,
  requestBody,
  responses,
}: DocumentedOperation) {
  const answers = Object.entries(responses)
  const isRefusal = ([, { description }]: [string, DocumentedResponse]) =>
    description === errorDescription
  return {
    id: operationId,
    summary,
    details: detailsOf({ summary, description }),
    group: tags[0] ?? '',
    security: security.map((one) => {
      const [scheme = ''] = Object.keys(one)
      return { scheme, scopes: scheme === 'key' ? scopes : [] }
    }),
    parameters: parameters ?? [],
    body: requestBody,
    answers: answers
      .filter((one) => !isRefusal(one))
      .map(([status, { content = {} }]) => ({ status, content })),
    refusals: answers
      .filter(isRefusal)
      .map(([status, answer]) => ({ status, codes: answer['x-codes'] ?? [] })),
  }
}

/** Returns the rest of the description's first paragraph, which begins with the summary. */
function detailsOf({
  summary,
  description,
}: Pick<DocumentedOperation, 'summary' | 'description'>): string {
  const [paragraph = ''] = description.split('\n\n')
  return paragraph.slice(`${summary}.`.length).trim()
}

/** Returns the initial text of the body's form. */
function sampleBody({ body, type }: Example): string | undefined {
  if (type === undefined) return undefined
  return type === 'application/json' ? JSON.stringify(body, null, 2) : ''
}
