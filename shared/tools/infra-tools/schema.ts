import * as z from 'zod'

/** spec.md, Infrastructure-tool gateway. */
export const gatewayHealth = z
  .object({
    name: z.string(),
    version: z.string(),
    description: z.string(),
    status: z.literal('operational'),
    official_repo: z.string(),
    docker_image: z.string(),
    documentation: z.string(),
    timestamp: z.string(),
  })
  .meta({ id: 'InfraToolHealth' })

export const serverInfo = z
  .object({
    name: z.string(),
    version: z.string(),
    description: z.string(),
    maintained_by: z.string(),
    repository: z.string(),
    docker_image: z.string(),
    documentation: z.string(),
    setup_guide: z.string(),
    features: z.array(z.string()),
  })
  .meta({ id: 'InfraToolInfo' })

export const setupGuide = z
  .object({
    title: z.string(),
    recommended_approach: z.string(),
    quick_start: z.object({ step_1: z.string(), step_2: z.string(), step_3: z.string() }),
    docker_config_example: z
      .looseObject({})
      .describe('The entry of an MCP client’s configuration file'),
    documentation_links: z.record(z.string(), z.string()),
  })
  .meta({ id: 'InfraToolSetup' })

export const toolList = z
  .object({
    source: z.string(),
    tool_categories: z.array(
      z.object({
        name: z.string(),
        count: z.number(),
        tools: z.array(z.object({ name: z.string(), description: z.string() })),
      }),
    ),
    complete_reference: z.string(),
  })
  .meta({ id: 'InfraToolList' })

export const workedExamples = z
  .object({
    description: z.string(),
    examples: z.record(z.string(), z.array(z.string())).describe('Examples by topic'),
  })
  .meta({ id: 'InfraToolExamples' })

const text = (description: string) => z.unknown().optional().meta({ type: 'string', description })

/** Accepts any value of either field: `RefusedConfig` reports invalid values. */
export const configToCheck = z
  .object({
    api_key: text('An API key of Render; required'),
    endpoint: text('The URL of the server'),
  })
  .meta({ id: 'InfraToolConfig' })

export const checkedConfig = z
  .object({ valid: z.literal(true), message: z.string(), next_steps: z.array(z.string()) })
  .meta({ id: 'InfraToolConfigCheck' })

/** spec.md: the body of a 400 here, in place of `error`. */
export interface RefusedConfig {
  valid: false
  errors: string[]
  help: string
}
