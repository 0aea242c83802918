import { describe, expect, it } from 'vitest'
import { call } from '../http/client.ts'

/** The backend's address and key. */
export interface Gateway {
  backend: string
  internalKey: string
}

const repository = 'https://github.com/render-oss/render-mcp-server'
const documentation = 'https://render.com/docs/mcp-server'
const image = 'ghcr.io/render-oss/render-mcp-server'
const texts = expect.arrayContaining([expect.any(String)])

const pages = ['health', 'info', 'setup', 'tools', 'examples', 'docs', 'github']

/**
 * Tests the infrastructure-tool gateway on any carrier, by spec.md and contract.md 10.
 * @param gateway called in each test, so that it may be started in `beforeAll`
 */
export function testInfraTools(gateway: () => Gateway): void {
  const url = (page: string) => `${gateway().backend}/api/infra-mcp/${page}`
  const headers = () => ({ authorization: `Bearer ${gateway().internalKey}` })
  const get = (page: string) => call(url(page), { headers: headers() })
  const validate = (body: unknown) => call(url('validate-config'), { headers: headers(), body })

  describe('the infrastructure-tool gateway', () => {
    it('reports its health and its purpose', async () => {
      const asked = Date.now()
      const { status, body } = await get('health')
      expect(status).toBe(200)
      expect(body).toEqual({
        name: 'render-mcp-server',
        version: expect.stringMatching(/^\d+\.\d+\.\d+$/),
        description: expect.any(String),
        status: 'operational',
        official_repo: repository,
        docker_image: image,
        documentation,
        timestamp: expect.stringMatching(/^\d{4}-\d\d-\d\dT[\d:.]+Z$/),
      })
      expect(Date.parse(String(body.timestamp))).toBeGreaterThanOrEqual(asked)
    })

    it('names the maintainer and the features of the server', async () => {
      const { status, body } = await get('info')
      expect([status, body]).toEqual([
        200,
        {
          name: 'render-mcp-server',
          version: expect.any(String),
          description: expect.any(String),
          maintained_by: 'Render',
          repository,
          docker_image: image,
          documentation,
          setup_guide: expect.stringContaining('https://'),
          features: texts,
        },
      ])
    })

    it('describes the connection in three steps, with an example that runs the image', async () => {
      const { status, body } = await get('setup')
      expect([status, body]).toEqual([
        200,
        {
          title: expect.any(String),
          recommended_approach: expect.any(String),
          quick_start: {
            step_1: expect.any(String),
            step_2: expect.any(String),
            step_3: expect.any(String),
          },
          docker_config_example: expect.any(Object),
          documentation_links: expect.objectContaining({ documentation, repository }),
        },
      ])
      const { mcpServers } = body.docker_config_example as {
        mcpServers: Record<string, { command: string; args: string[] }>
      }
      const { command, args = [] } = mcpServers.render ?? {}
      expect([command, args[0], args.at(-1)]).toEqual(['docker', 'run', image])
    })

    it('lists the tools of seven categories, and counts them', async () => {
      const { status, body } = await get('tools')
      expect(status).toBe(200)
      expect(body).toMatchObject({
        source: repository,
        complete_reference: expect.stringContaining('https://'),
      })
      const categories = body.tool_categories as {
        name: string
        count: number
        tools: { name: string; description: string }[]
      }[]
      expect(categories.map(({ name, count }) => [name, count])).toEqual([
        ['workspaces', 3],
        ['services', 6],
        ['deployments', 2],
        ['logs', 2],
        ['metrics', 1],
        ['postgres', 4],
        ['key_value', 3],
      ])
      const names = categories.flatMap(({ count, tools }) => {
        expect(tools).toHaveLength(count)
        return tools.map(({ name }) => name)
      })
      expect(new Set(names).size).toBe(21)
      expect(names).toEqual(expect.arrayContaining(['list_services', 'query_render_postgres']))
    })

    it('lists example prompts', async () => {
      const { status, body } = await get('examples')
      expect([status, body]).toEqual([
        200,
        { description: expect.any(String), examples: expect.any(Object) },
      ])
      const useCases = Object.values(body.examples as object)
      expect(useCases.length).toBeGreaterThan(2)
      for (const useCase of useCases) expect(useCase).toEqual(texts)
    })

    it.each([
      ['docs', documentation],
      ['github', repository],
    ])('/%s redirects to %s', async (page, location) => {
      const { status, headers: answered } = await get(page)
      expect([status, answered.get('location')]).toEqual([301, location])
    })

    it('accepts a valid configuration, with or without an endpoint', async () => {
      const good = {
        valid: true,
        message: expect.any(String),
        next_steps: texts,
      }
      for (const rest of [{}, { endpoint: 'https://mcp.render.com/mcp' }, { unknown: 1 }]) {
        const { status, body } = await validate({ api_key: 'rnd_0123456789abcdef', ...rest })
        expect([status, body]).toEqual([200, good])
      }
    })

    const required = 'api_key is required'
    const prefix = 'api_key must start with rnd_'
    const short = 'api_key appears too short'
    it.each([
      ['no key', {}, [required]],
      ['an empty key', { api_key: '' }, [required]],
      ['a key that is not text', { api_key: 7 }, [required]],
      ['a key that is null', { api_key: null }, [required]],
      ['a key of another provider', { api_key: 'sk_0123456789abcdefghij' }, [prefix]],
      ['a prefix in capitals', { api_key: 'RND_0123456789abcdefghij' }, [prefix]],
      ['a key of 19 characters', { api_key: 'rnd_0123456789abcde' }, [short]],
      ['a short key of another provider', { api_key: 'sk_1' }, [prefix, short]],
      [
        'an endpoint that is not text',
        { api_key: 'rnd_0123456789abcdef', endpoint: 5 },
        ['endpoint must be a string'],
      ],
    ])('returns the errors of %s', async (_, body, errors) => {
      const refused = await validate(body)
      expect(refused.status).toBe(400)
      expect(refused.body).toEqual({ valid: false, errors, help: expect.any(String) })
    })

    it('never returns a key', async () => {
      const key = 'sk_secret-secret-secret'
      expect(JSON.stringify((await validate({ api_key: key })).body)).not.toContain('secret-')
    })

    it.each(pages)('/%s requires the platform’s key', async (page) => {
      const as = async (authorization?: string) => {
        const { status } = await call(url(page), {
          headers: authorization === undefined ? {} : { authorization },
        })
        return status
      }
      expect(await as()).toBe(401)
      expect(await as(gateway().internalKey)).toBe(401)
      expect(await as(`Basic ${gateway().internalKey}`)).toBe(401)
      expect(await as('Bearer wrong')).toBe(403)
      expect(await as(`Bearer sk_${'0'.repeat(64)}`)).toBe(403)
      expect(await as(`Bearer ${gateway().internalKey.slice(0, -1)}`)).toBe(403)
    })

    it('validates no configuration without the platform’s key', async () => {
      const answer = await call(url('validate-config'), { body: { api_key: 'rnd_1' } })
      expect([answer.status, answer.body]).toEqual([401, { error: 'Unauthorized' }])
    })

    it('rejects bodies that are not a JSON object, and one that is too large', async () => {
      const send = async (body: string, type = 'application/json') => {
        const answer = await fetch(url('validate-config'), {
          method: 'POST',
          headers: { ...headers(), 'content-type': type },
          body,
        })
        return [answer.status, await answer.json()]
      }
      const refused = [400, { error: expect.any(String) }]
      expect(await send('{"api_key":')).toEqual(refused)
      expect(await send('["rnd_0123456789abcdef"]')).toEqual(refused)
      expect(await send('{}', 'text/plain')).toEqual(refused)
      const large = JSON.stringify({ api_key: `rnd_${'a'.repeat(1_048_576)}` })
      expect(await send(large)).toEqual([413, { error: expect.any(String) }])
    })

    it('responds to other methods and unknown pages as every surface does', async () => {
      const wrong = await call(url('tools'), { method: 'DELETE' })
      expect([wrong.status, wrong.headers.get('allow')]).toEqual([405, 'GET'])
      const below = await get('tools/none')
      expect([below.status, below.body]).toEqual([404, { error: 'Not found' }])
    })
  })
}
