import { camel, capital, type Draft } from './draft.ts'

export function verb([path = '']: readonly string[]): Draft | undefined {
  const [, district, noun, name] = /^([a-z-]+)\/([a-z-]+)\/([a-z-]+)$/.exec(path) ?? []
  if (district === undefined || noun === undefined || name === undefined) return undefined
  const folder = `shared/${district}/${noun}`
  const called = `${camel(name)}${capital(camel(name === 'list' ? noun : noun.replace(/s$/, '')))}`
  return {
    files: {
      [`${folder}/${name}.ts`]: code(called),
    },
    next: [
      `give ${called} its input, its result and its docstring; ports that it needs are capabilities: ctx: UserContext & Sends<'provisioning'> & Can<'mailer'>`,
      'call it in a route, a job or another verb, and test it by calls of the route or the job',
    ],
  }
}

function code(called: string): string {
  return `import type { UserContext } from '#shared/platform/identity/context.ts'

export async function ${called}(
  ctx: Pick<UserContext, 'owner' | 'table'>,
  input: { id: string },
): Promise<{ id: string; owner: string }> {
  return { id: input.id, owner: ctx.owner }
}
`
}
