"""The front end of the report and of the web app: plain JavaScript and CSS, read by `tonmf.report.web.assets`."""
