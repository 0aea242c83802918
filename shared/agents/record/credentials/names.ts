const form = /^[A-Z][A-Z0-9_]{0,63}$/

/**
 * Variables that the platform, runtimes, the dynamic loader, shells and interpreters read. Users cannot set them,
 * because code that they start or load would run as the platform if agents are local processes.
 */
const reservedPrefixes = [
  'AGENT_',
  'AI_',
  'GATEWAY_',
  'OPENCLAW_',
  'AWS_',
  'ECS_',
  // Dynamic loaders and the C library.
  'LD_',
  'DYLD_',
  'GLIBC_',
  'MALLOC_',
  'LC_',
  // Node.js and its libraries.
  'NODE_',
  'NPM_CONFIG_',
  'UV_',
  // OpenClaw's plugin loader and browser.
  'JITI_',
  'DOTENV_',
  'PLAYWRIGHT_',
  'OPENSSL_',
  'SSL_CERT_',
  'SSLKEYLOG',
  // Shells and other interpreters.
  'BASH',
  'ZDOT',
  'PYTHON',
  'PERL',
  'RUBY',
  'LUA_INIT',
  'PHP_INI_',
  'CORECLR_',
  // Git: programs that it starts, its configuration, and its trace files.
  'GIT_CONFIG',
  'GIT_SSH',
  'GIT_TRACE',
  // Directories of programs' settings.
  'XDG_',
]

const agentVariables = [
  'SYSTEM_PROMPT',
  'WORKSPACE_DIR',
  'SHUTDOWN_GRACE_MS',
  'EXIT_ON_STDIN_EOF',
  'TELEGRAM_TOKEN',
  'DISCORD_BOT_TOKEN',
  'WHATSAPP_TOKEN',
  'TELEGRAM_SENDERS',
  'DISCORD_SENDERS',
]
const network = ['HTTP_PROXY', 'HTTPS_PROXY', 'ALL_PROXY', 'NO_PROXY']
const system = ['PATH', 'HOME', 'PWD', 'USER', 'SHELL', 'TMPDIR', 'TERM', 'LANG', 'LANGUAGE', 'TZ']
const library = ['GCONV_PATH', 'LOCPATH', 'NLSPATH', 'HOSTALIASES', 'RES_OPTIONS', 'LOCALDOMAIN']
const shell = [
  'ENV',
  'IFS',
  'CDPATH',
  'SHELLOPTS',
  'POSIXLY_CORRECT',
  'PROMPT_COMMAND',
  'PS0',
  'PS1',
  'PS2',
  'PS3',
  'PS4',
]
const tools = [
  'JAVA_TOOL_OPTIONS',
  'JDK_JAVA_OPTIONS',
  'DOTNET_STARTUP_HOOKS',
  'EDITOR',
  'VISUAL',
  'PAGER',
  'BROWSER',
  'MANPAGER',
  'CURL_HOME',
  'WGETRC',
  'INPUTRC',
  'RSYNC_RSH',
  'TAR_OPTIONS',
  'MAKEFLAGS',
  'GIT_ALLOW_PROTOCOL',
  'GIT_ALTERNATE_OBJECT_DIRECTORIES',
  'GIT_ASKPASS',
  'GIT_COMMON_DIR',
  'GIT_DIR',
  'GIT_EDITOR',
  'GIT_EXEC_PATH',
  'GIT_EXTERNAL_DIFF',
  'GIT_INDEX_FILE',
  'GIT_OBJECT_DIRECTORY',
  'GIT_PAGER',
  'GIT_PROXY_COMMAND',
  'GIT_SEQUENCE_EDITOR',
  'GIT_TEMPLATE_DIR',
  'GIT_WORK_TREE',
  'SSH_ASKPASS',
  'LESSOPEN',
  'LESSCLOSE',
]

const reserved = new Set([...agentVariables, ...network, ...system, ...library, ...shell, ...tools])

/** Returns whether a name can be a user's variable in an agent's environment. */
export function isCredentialName(name: string): boolean {
  return form.test(name) && !isReserved(name)
}

/** Returns whether the container itself uses a name. */
function isReserved(name: string): boolean {
  return reserved.has(name) || reservedPrefixes.some((prefix) => name.startsWith(prefix))
}
