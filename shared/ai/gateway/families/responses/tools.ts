import * as z from 'zod'
import { once } from '#shared/platform/once.ts'

/** Tools that the client runs, and that only models of OpenAI know. */
export const clientTools = [
  'apply_patch',
  'computer',
  'computer_use_preview',
  'local_shell',
  'shell',
] as const

/**
 * The schema of a tool that the client runs, in OpenAI's form:
 * https://platform.openai.com/docs/api-reference/responses/create, as in its client 7.55.0.
 */
export const clientTool = once(() => {
  const named = {
    name: z.string().min(1).max(128),
    description: z.string().nullish(),
  }
  const functionTool = z.looseObject({
    type: z.literal('function'),
    ...named,
    parameters: z.looseObject({}).nullish(),
    strict: z.boolean().nullish(),
  })
  const customTool = z.looseObject({
    type: z.literal('custom'),
    ...named,
    format: z
      .looseObject({
        type: z.enum(['text', 'grammar'], { error: 'type must be text or grammar' }),
        syntax: z.string().nullish(),
        definition: z.string().nullish(),
      })
      .nullish(),
  })
  return z.discriminatedUnion(
    'type',
    [
      functionTool,
      customTool,
      z.looseObject({
        type: z.literal('namespace'),
        ...named,
        tools: z.array(
          z.discriminatedUnion('type', [functionTool, customTool], {
            error: 'type must be function or custom',
          }),
        ),
      }),
      z.looseObject({
        type: z.literal('tool_search'),
        description: z.string().nullish(),
        execution: z.enum(['client', 'server']).nullish(),
        parameters: z.looseObject({}).nullish(),
      }),
      z.looseObject({
        type: z.literal('shell'),
        environment: z.looseObject({
          type: z.literal('local', {
            error: 'type must be local: providers bill containers in addition to tokens',
          }),
        }),
      }),
      z.looseObject({ type: z.enum(clientTools).exclude(['shell']) }),
    ],
    {
      error: ({ input }) =>
        `type ${JSON.stringify((input as { type?: unknown } | null)?.type ?? null)} is not supported: ` +
        'providers bill their own tools in addition to tokens. Switch this tool off in the client, ' +
        'in Codex by web_search = "disabled"',
    },
  )
})

export type Tool = z.output<ReturnType<typeof clientTool>>
