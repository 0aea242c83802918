import { describe, expect, it } from 'vitest'
import { userPartition } from '#shared/platform/table/user-store.ts'
import { useWorkspaces } from '#tests/support/conversations/workspace.ts'

const on = useWorkspaces({ newAgent: (workspaces, { id }) => workspaces.stoppedAgent(id) })

function ask(query = '', session = on.ada.session) {
  return on.workspaces.call('GET', `/api/agent${query}`, { session })
}

function act(body: Record<string, unknown>, session = on.ada.session) {
  return on.workspaces.call('POST', '/api/agent', { body, session })
}

const missing = { status: 404, body: { error: 'Agent not found' } }

const reserved = (
  'PATH HOME NODE_OPTIONS OPENSSL_CONF SSL_CERT_DIR LD_PRELOAD GATEWAY_TOKEN AGENT_ID AI_API_KEY AI_BASE_URL SYSTEM_PROMPT ' +
  'WORKSPACE_DIR OPENCLAW_STATE_DIR TELEGRAM_TOKEN AWS_SECRET_ACCESS_KEY HTTPS_PROXY ' +
  'SHELLOPTS BASHOPTS PS4 ENV BASH_ENV PROMPT_COMMAND IFS GCONV_PATH LOCPATH DYLD_INSERT_LIBRARIES LD_AUDIT GLIBC_TUNABLES ' +
  'NODE_EXTRA_CA_CERTS NPM_CONFIG_SCRIPT_SHELL PYTHONSTARTUP PYTHONPATH PERL5OPT RUBYOPT JAVA_TOOL_OPTIONS GIT_SSH_COMMAND ' +
  'JITI_ALIAS JITI_FS_CACHE DOTENV_CONFIG_PATH PLAYWRIGHT_BROWSERS_PATH PLAYWRIGHT_NODEJS_PATH UV_USE_IO_URING ' +
  'GIT_DIR GIT_COMMON_DIR GIT_TRACE GIT_TRACE2_EVENT XDG_CONFIG_HOME CURL_HOME WGETRC INPUTRC RSYNC_RSH TAR_OPTIONS MAKEFLAGS ' +
  'AGENT_BOOTSTRAP_TOKEN'
).split(' ')

const malformed = [
  'lower_case',
  '1KEY',
  'A-B',
  'A B',
  '',
  '__PROTO__',
  'constructor',
  '__proto__',
  'A\nB',
  'A=B',
  'É',
  'A'.repeat(65),
  5,
  null,
]

describe('a credential', () => {
  const set = (key: unknown, value: unknown, session = on.ada.session) =>
    act({ action: 'set-credential', agentId: on.agent.id, key, value }, session)

  it('is stored sealed, listed by name, replaced and deleted', async () => {
    const secret = 'ghp_a-secret-of-her-own'
    expect(await set('GITHUB_TOKEN', secret)).toEqual({
      status: 200,
      body: { success: true, key: 'GITHUB_TOKEN', saved: true },
    })
    await set('API_KEY_2', 'first')
    await set('API_KEY_2', 'second')
    const entry = (key: string) => ({ key, updatedAt: expect.stringMatching(/Z$/) })
    const listed = { credentials: [entry('API_KEY_2'), entry('GITHUB_TOKEN')], count: 2 }
    expect((await ask('?action=credentials')).body).toEqual(listed)
    const { items } = await on.workspaces.table.query({ pk: userPartition(on.ada.id) })
    for (const text of [secret, 'second']) expect(JSON.stringify(items)).not.toContain(text)

    expect((await set('API_KEY_2', null)).body).toMatchObject({ success: true, saved: false })
    expect((await ask('?action=credentials')).body).toMatchObject({ count: 1 })
  })

  it.each([...reserved, ...malformed])('cannot have the name %j', async (key) => {
    const { status, body } = await set(key, 'value')
    expect([status, body]).toEqual([400, { error: expect.stringContaining('key') }])
    expect((await ask('?action=credentials')).body).toEqual({ credentials: [], count: 0 })
  })

  it.each(['', 5, ['a'], { a: 'b' }, undefined, 'a\0b', 'a'.repeat(2049)])(
    'cannot have the value %j',
    async (value) => {
      expect((await set('KEY', value)).status).toBe(400)
    },
  )

  it('is limited by the size of a start, under concurrent requests', async () => {
    const answers = await Promise.all(
      Array.from({ length: 8 }, (_, i) => set(`KEY_${i}`, '"'.repeat(230))),
    )
    const full = { code: 'CREDENTIALS_FULL', limit: 2048, error: expect.any(String) }
    expect(answers.map(({ status }) => status).sort()).toEqual([
      ...Array.from({ length: 4 }, () => 200),
      ...Array.from({ length: 4 }, () => 400),
    ])
    expect(answers.find(({ status }) => status === 400)?.body).toEqual(full)
    expect((await ask('?action=credentials')).body.count).toBe(4)
  })

  it('is set and listed only by its owner', async () => {
    await set('KEY', 'value')
    expect(await set('KEY', 'theirs', on.eve.session)).toEqual(missing)
    expect(await ask(`?action=credentials&agentId=${on.agent.id}`, on.eve.session)).toEqual(missing)
  })
})
