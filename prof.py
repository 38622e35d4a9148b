import pstats, sys, collections, re
s=pstats.Stats(sys.argv[1]); tot=collections.Counter()
for (f,l,n),(cc,nc,tt,ct,callers) in s.stats.items():
    m=re.search(r"(weft_\w+)/src/\1/(.*)\.py",f)
    k= m[1]+"/"+m[2].rsplit("/",1)[0] if m else ("built-in "+n[:50] if f=="~" else re.sub(r".*/site-packages/([^/]+).*",r"\1",re.sub(r".*/lib/python3.11/([^/]+)\.py","std \\1",f)))
    tot[k]+=tt
T=sum(tot.values()); print("total",T)
for k,v in tot.most_common(70): print(f"{v:7.2f} {100*v/T:5.1f}% {k}")
