import { render } from 'preact'
import { match } from './app/routes.ts'
import { Screen } from './app/screen.tsx'
import { startShortcuts } from './app/shortcuts.ts'
import { askEarly } from './base/early.ts'
import { startFormStorage } from './base/form-storage.ts'
import { startRouter } from './base/router.ts'
import { loadSession } from './base/session.ts'
import { startTheme } from './base/theme.ts'
import { retryFailed } from './ui/failures.ts'
import { Fault } from './ui/fault.tsx'
// Most screens need these. In the frame's file they cost no extra request.
import './base/agents.ts'
import './base/figures.ts'
import './base/plan.ts'
import './ui/field.tsx'
import './ui/form.tsx'
import './ui/load.ts'
import './ui/parts.tsx'

const root = document.getElementById('app')
if (root === null) throw new Error('the page has no element #app')

startTheme()
startFormStorage()
addEventListener('online', retryFailed)
startShortcuts()
startRouter((path) => path === '/' || match(path) !== undefined)
render(<Screen />, root)
// Starts all three loads in parallel: the session, the screen and its first data. Errors are shown by the parts that
// need them.
const first = match(location.pathname)
askEarly(first?.route.first?.(first.parameters, new URLSearchParams(location.search)) ?? [])
for (const file of [first?.route.load(), first?.route.loadPart?.(first.parameters)])
  file?.catch(() => undefined)
loadSession().catch((error: unknown) => {
  render(
    <main class="bare">
      <h1>Agent Platform</h1>
      <Fault error={error} />
      <button type="button" class="button" onClick={() => location.reload()}>
        Try again
      </button>
    </main>,
    root,
  )
})
