import type * as z from 'zod'
import type { serverInfo, setupGuide, toolList, workedExamples } from './schema.ts'

/** Links to Render's MCP server, its image and its documentation: contract.md 10. */
export const links = {
  repository: 'https://github.com/render-oss/render-mcp-server',
  dockerImage: 'ghcr.io/render-oss/render-mcp-server',
  documentation: 'https://render.com/docs/mcp-server',
  apiKeys: 'https://dashboard.render.com/settings#api-keys',
  apiReference: 'https://render.com/docs/api-reference',
  hosted: 'https://mcp.render.com/mcp',
} as const

export const server = {
  name: 'render-mcp-server',
  /** The described release, of 14 January 2026. */
  version: '0.3.0',
  description: 'Render’s Model Context Protocol server, which manages services on Render',
} as const

export const info: z.input<typeof serverInfo> = {
  ...server,
  maintained_by: 'Render',
  repository: links.repository,
  docker_image: links.dockerImage,
  documentation: links.documentation,
  setup_guide: `${links.repository}#getting-started`,
  features: [
    'Create web services, static sites, cron jobs, Postgres databases and Key Value instances',
    'List services, and read their configurations',
    'Replace the environment variables of a service',
    'Follow deployments and their history',
    'Search logs by resource, level, time and text',
    'Read metrics of CPU, memory, HTTP requests and connections',
    'Query Postgres databases read-only',
  ],
}

/**
 * The configuration of a client that runs the server itself; the volume stores the selected workspace, since the
 * container has no file system of its own.
 */
const docker = {
  mcpServers: {
    render: {
      command: 'docker',
      args: [
        'run',
        '-i',
        '--rm',
        '-e',
        'RENDER_API_KEY',
        '-v',
        'render-mcp-server-config:/config',
        links.dockerImage,
      ],
      env: { RENDER_API_KEY: '<your API key>' },
    },
  },
}

export const setup: z.input<typeof setupGuide> = {
  title: 'Connect an MCP client to Render',
  recommended_approach:
    `Use the server that Render runs, ${links.hosted}, with the API key as bearer. ` +
    'If a client can only start programs, run the image with Docker.',
  quick_start: {
    step_1: `Create an API key in Render’s dashboard: ${links.apiKeys}`,
    step_2:
      `Add ${links.hosted} to the client with the header "Authorization: Bearer <your API key>", ` +
      'or add docker_config_example',
    step_3: 'Ask the client to list the workspaces, and name the one to use',
  },
  docker_config_example: docker,
  documentation_links: {
    documentation: links.documentation,
    repository: links.repository,
    api_keys: links.apiKeys,
    api_reference: links.apiReference,
  },
}

const tool = (name: string, description: string) => ({ name, description })

/**
 * The tools whose counts spec.md defines, by their real names. Release 0.3.0 has a few more, which create nothing:
 * update_web_service, update_static_site and update_cron_job answer with a link to the dashboard.
 */
const categories = [
  {
    name: 'workspaces',
    tools: [
      tool('list_workspaces', 'Lists the workspaces that the key has access to'),
      tool('select_workspace', 'Selects the workspace for later calls'),
      tool('get_selected_workspace', 'Returns the selected workspace'),
    ],
  },
  {
    name: 'services',
    tools: [
      tool('list_services', 'Lists the services of the workspace'),
      tool('get_service', 'Returns the details of a service'),
      tool('create_web_service', 'Creates a web service from a repository'),
      tool('create_static_site', 'Creates a static site from a repository'),
      tool('create_cron_job', 'Creates a job that runs on a cron schedule'),
      tool('update_environment_variables', 'Replaces the environment variables of a service'),
    ],
  },
  {
    name: 'deployments',
    tools: [
      tool('list_deploys', 'Lists the deployments of a service'),
      tool('get_deploy', 'Returns the details of a deployment'),
    ],
  },
  {
    name: 'logs',
    tools: [
      tool('list_logs', 'Searches log lines by resource, level, time, text and more'),
      tool('list_log_label_values', 'Lists the values of a label in the matching lines'),
    ],
  },
  {
    name: 'metrics',
    tools: [tool('get_metrics', 'Reads metrics of a service, a database or a Key Value instance')],
  },
  {
    name: 'postgres',
    tools: [
      tool('query_render_postgres', 'Runs a read-only SQL query in a database'),
      tool('list_postgres_instances', 'Lists the databases of the workspace'),
      tool('get_postgres', 'Returns the details of a database'),
      tool('create_postgres', 'Creates a database'),
    ],
  },
  {
    name: 'key_value',
    tools: [
      tool('list_key_value', 'Lists the Key Value instances of the workspace'),
      tool('get_key_value', 'Returns the details of a Key Value instance'),
      tool('create_key_value', 'Creates a Key Value instance'),
    ],
  },
]

export const tools: z.input<typeof toolList> = {
  source: links.repository,
  tool_categories: categories.map(({ name, tools: members }) => ({
    name,
    count: members.length,
    tools: members,
  })),
  complete_reference: `${links.repository}#tools`,
}

export const examples: z.input<typeof workedExamples> = {
  description: 'Requests to a client that is connected to Render’s MCP server',
  examples: {
    service_creation: [
      'Create a web service from https://github.com/me/shop on the starter plan in Frankfurt',
      'Create a cron job that runs "node report.js" each day at midnight',
      'Create a database named orders on the basic_1gb plan',
    ],
    troubleshooting: [
      'Why did the last deployment of shop fail?',
      'Show the errors that shop logged in the last hour',
      'Which paths of shop responded with 500 today?',
    ],
    performance: [
      'Show CPU and memory of shop over the last day',
      'What is the 95th percentile of the latency of shop?',
      'How many connections does the database orders have?',
    ],
    data: [
      'How many users signed up each day of this month, according to the database orders?',
      'What are the ten largest tables of the database orders?',
    ],
    configuration: [
      'List my services with their plans and regions',
      'Set LOG_LEVEL of shop to debug, and keep its other environment variables',
    ],
  },
}
