"""Chromium without a window, which is told what to do by its DevTools protocol over two pipes."""

import base64
import json
import os
import shutil
import subprocess
import tempfile
import time

TIMEOUT = 60


class Browser:
    """A browser with one page. What the page reports as an error is in `errors`."""

    def __init__(self, executable='chromium'):
        self.errors = []
        self._profile = tempfile.mkdtemp()
        requests, self._requests = os.pipe()
        self._replies, replies = os.pipe()

        def descriptors():
            # Chromium reads from 3 and writes to 4; neither number may be in the way of the other.
            ours = os.dup(requests), os.dup(replies)
            high = [os.dup2(ours[0], 100), os.dup2(ours[1], 101)]
            os.dup2(high[0], 3)
            os.dup2(high[1], 4)

        self._process = subprocess.Popen(
            [
                executable, '--headless', '--no-sandbox', '--remote-debugging-pipe', '--disable-gpu',
                '--hide-scrollbars', '--disable-dev-shm-usage', '--disable-background-networking', '--no-first-run',
                f'--user-data-dir={self._profile}', 'about:blank',
            ],
            preexec_fn=descriptors, close_fds=False, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL,
        )
        os.close(requests)
        os.close(replies)
        self._buffer, self._number, self._session = b'', 0, None
        targets = self.send('Target.getTargets')['targetInfos']
        page = next(target for target in targets if target['type'] == 'page')
        self._session = self.send('Target.attachToTarget', targetId=page['targetId'], flatten=True)['sessionId']
        for domain in ('Page', 'Runtime', 'Log', 'Network'):
            self.send(f'{domain}.enable')

    def __enter__(self):
        return self

    def __exit__(self, *error):
        self._process.kill()
        self._process.wait()
        shutil.rmtree(self._profile, ignore_errors=True)

    def send(self, method, **parameters):
        """Sends a command, and returns its result."""
        self._number += 1
        message = {'id': self._number, 'method': method, 'params': parameters}
        if self._session:
            message['sessionId'] = self._session
        os.write(self._requests, json.dumps(message).encode() + b'\0')
        while True:
            reply = self._read()
            if reply.get('id') == self._number:
                if 'error' in reply:
                    raise RuntimeError(f'{method}: {reply["error"]["message"]}')
                return reply['result']

    def _read(self):
        while b'\0' not in self._buffer:
            chunk = os.read(self._replies, 1 << 20)
            if not chunk:
                raise RuntimeError('Chromium has ended.')
            self._buffer += chunk
        message, _, self._buffer = self._buffer.partition(b'\0')
        message = json.loads(message)
        self._note(message.get('method'), message.get('params', {}))
        return message

    def _note(self, method, parameters):
        if method == 'Runtime.exceptionThrown':
            details = parameters['exceptionDetails']
            self.errors.append(details.get('exception', {}).get('description', details['text']))
        elif method == 'Runtime.consoleAPICalled' and parameters['type'] in ('error', 'assert'):
            self.errors.append(' '.join(str(argument.get('value')) for argument in parameters['args']))
        elif method == 'Log.entryAdded' and parameters['entry']['level'] == 'error':
            self.errors.append(f'{parameters["entry"]["text"]} {parameters["entry"].get("url", "")}')

    # What a person does

    def screen(self, width, height=900, scheme='light'):
        """Sets the size of the page, and whether the system is light or dark."""
        self.send(
            'Emulation.setDeviceMetricsOverride', width=width, height=height, deviceScaleFactor=1, mobile=width < 600
        )
        self.send('Emulation.setEmulatedMedia', features=[{'name': 'prefers-color-scheme', 'value': scheme}])

    def open(self, url, until='document.readyState == "complete"'):
        """Opens a page, and waits until it is ready."""
        # A page that differs only in its fragment would not be loaded again.
        self.send('Page.navigate', url='about:blank')
        self.send('Page.navigate', url=url)
        self.wait(f'location.href != "about:blank" && {until}', url)

    def wait(self, condition, subject):
        deadline = time.monotonic() + TIMEOUT
        while not self.value(condition):
            if time.monotonic() > deadline:
                raise RuntimeError(f'{subject}: not within {TIMEOUT} s: {condition}')
            time.sleep(0.05)

    def value(self, expression):
        """Returns the value of an expression in the page."""
        result = self.send('Runtime.evaluate', expression=expression, returnByValue=True, awaitPromise=True)
        if 'exceptionDetails' in result:
            raise RuntimeError(f'{expression}: {result["exceptionDetails"]["exception"].get("description")}')
        return result['result'].get('value')

    def type(self, text):
        self.send('Input.insertText', text=text)

    def press(self, key):
        texts = {'Enter': '\r', '/': '/'}
        codes = {'Enter': 13, 'Escape': 27, 'ArrowDown': 40, 'ArrowUp': 38, 'Tab': 9}
        options = {'key': key, 'windowsVirtualKeyCode': codes.get(key, 0)}
        if key in texts:
            options['text'] = texts[key]
        self.send('Input.dispatchKeyEvent', type='keyDown', **options)
        options.pop('text', None)
        self.send('Input.dispatchKeyEvent', type='keyUp', **options)

    def screenshot(self, path, whole=False):
        """Writes a picture of the page: of what the screen shows, or of the whole page."""
        options = {}
        if whole:
            size = self.send('Page.getLayoutMetrics')['cssContentSize']
            options = {'captureBeyondViewport': True, 'clip': {
                'x': 0, 'y': 0, 'width': size['width'], 'height': min(size['height'], 6000), 'scale': 1
            }}
        data = self.send('Page.captureScreenshot', **options)['data']
        path.write_bytes(base64.b64decode(data))
